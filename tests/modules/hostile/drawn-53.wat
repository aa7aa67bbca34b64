;; call deadline: divvy_alloc ran longer than its 30 ms
;; Drawn by wasm-smith from seed 53 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func))
  (type (;1;) (func (param i32) (result i32)))
  (type (;2;) (func (param i32 i32) (result i64)))
  (type (;3;) (func (param i32 i32) (result i64)))
  (type (;4;) (func))
  (memory (;0;) 1 4)
  (global (;0;) (mut i32) i32.const 0)
  (global (;1;) (mut i64) i64.const 0)
  (global (;2;) (mut v128) v128.const i32x4 0x00000000 0x00000000 0x00000000 0x00000000)
  (global (;3;) (mut i32) i32.const 0)
  (export "memory" (memory 0))
  (export "divvy_abi_v1" (func 0))
  (export "divvy_alloc" (func 1))
  (export "divvy_assign" (func 2))
  (export "divvy_user_data" (func 3))
  (export "_initialize" (func 4))
  (func (;0;) (type 0)
    block ;; label = @1
      i64.const 6351484158356814610
      i64.extend32_s
      f64.convert_i64_u
      call 0
      block (result f32) ;; label = @2
        call 0
        loop (result v128) ;; label = @3
          f32.const 0x1.0004p-133 (;=0.000000000000000000000000000000000000000091841;)
          i32.trunc_sat_f32_u
          f64.convert_i32_u
          br 2 (;@1;)
          block (type 0) ;; label = @4
            i32.const 1443670245
            i32.load16_s offset=8701
            v128.const i32x4 0xf4247fff 0xee9db9c6 0x5e8c7f9a 0x9c515754
            i8x16.popcnt
            i16x8.extend_high_i8x16_s
            f64x2.convert_low_i32x4_s
            i32x4.extadd_pairwise_i16x8_s
            i64x2.extend_low_i32x4_u
            i64x2.extend_low_i32x4_s
            f32x4.convert_i32x4_s
            i32x4.trunc_sat_f32x4_u
            i32x4.trunc_sat_f64x2_u_zero
            v128.not
            i32x4.bitmask
            global.get 0
            i32.xor
            global.set 0
            global.get 0
            i32.xor
            global.set 0
          end
          i64.reinterpret_f64
          global.get 1
          i64.xor
          global.set 1
          v128.const i32x4 0x03ffffff 0x00000000 0x08000000 0x00000000
        end
        global.get 2
        v128.xor
        global.set 2
        f32.const 0x1.b71f32p+42 (;=7544056000000;)
      end
      i32.reinterpret_f32
      global.get 3
      i32.xor
      global.set 3
      i64.reinterpret_f64
      global.get 1
      i64.xor
      global.set 1
    end
  )
  (func (;1;) (type 1) (param i32) (result i32)
    (local f64)
    i32.const 65528
    f64.convert_i32_s
    call 4
    memory.size
    v128.load16_splat offset=367 align=1
    f64x2.floor
    f32x4.nearest
    i8x16.extract_lane_s 13
    i32.load16_u offset=19898
    v128.load32x2_s offset=64468 align=4
    loop (type 0) ;; label = @1
      i64.const 18014398509481983
      loop ;; label = @2
        f64.const -0x1.b944a7cf4a90cp+649 (;=-4026519786248108300000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000;)
        i64.reinterpret_f64
        local.get 1
        i32.trunc_f64_s
        v128.load8_splat offset=18331
        i8x16.extract_lane_u 1
        f64.load offset=3675 align=2
        f64x2.splat
        f64x2.convert_low_i32x4_s
        v128.not
        i64x2.neg
        i64x2.extract_lane 1
        br 0 (;@2;)
        i64.rem_u
        f32.convert_i64_s
        i64.trunc_f32_s
        i64.eqz
        loop ;; label = @3
          block (result f32) ;; label = @4
            v128.const i32x4 0x2db45815 0x15b5ca91 0x995d7080 0xc15db154
            i16x8.extend_low_i8x16_s
            f32x4.sqrt
            i32x4.neg
            i16x8.extend_high_i8x16_u
            i32x4.all_true
            f32.const 0x1.463fb6p+46 (;=89678610000000;)
            f64.const 0x1.9c97e61794e09p+990 (;=16864674789593510000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000;)
            f64.ceil
            loop (type 4) ;; label = @5
              v128.const i32x4 0xf9fde42a 0x430401b8 0x81ff54bc 0x1043b11d
              i32x4.extend_low_i16x8_u
              i32x4.extend_low_i16x8_s
              f64x2.convert_low_i32x4_s
              i64x2.extend_high_i32x4_u
              f32.const -0x1.9be7ecp-32 (;=-0.00000000037462627;)
              f32.ceil
              block (type 4) ;; label = @6
                loop (type 4) ;; label = @7
                  memory.size
                  i64.load32_s offset=82803 align=1
                  v128.const i32x4 0x0ac77903 0xe56c6ecc 0xd0977ced 0x63cb0e05
                  f32x4.nearest
                  f64x2.nearest
                  f64x2.convert_low_i32x4_u
                  i64x2.neg
                  f32.const -0x1.b7f6fp+119 (;=-1142213400000000000000000000000000000;)
                  f64.const -0x1.2212d64bc8e9p-618 (;=-0.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000010416717656887535;)
                  memory.size
                  i64.const 2251799813685248
                  local.get 0
                  local.set 0
                  i32.wrap_i64
                  f32.reinterpret_i32
                  i32.trunc_f32_u
                  i64.load32_u offset=22029 align=2
                  local.get 0
                  f32.load offset=59208 align=1
                  block ;; label = @8
                    local.get 0
                    if (result f32) ;; label = @9
                      block (type 0) ;; label = @10
                        local.get 1
                        call 0
                        f64.abs
                        f64.sqrt
                        i32.trunc_f64_s
                        return_call 1
                        local.get 0
                        v128.load32x2_u offset=229526 align=1
                        f32x4.sqrt
                        i16x8.extend_low_i8x16_s
                        i32x4.all_true
                        i8x16.splat
                        i32.const -128
                        local.get 0
                        i32.mul
                        i32.extend8_s
                        i64.load32_u offset=64415 align=1
                        f32.const 0x1.fffffep+0 (;=1.9999999;)
                        f32.neg
                        f32.const 0x1.0001p-133 (;=0.000000000000000000000000000000000000000091837;)
                        f32.ceil
                        f32.lt
                        i64.load offset=49714 align=1
                        block ;; label = @11
                          f64.const 0x1.2bb94f7139482p+172 (;=7008750791625493000000000000000000000000000000000000;)
                          unreachable
                        end
                        unreachable
                      end
                      unreachable
                    else
                      unreachable
                    end
                    unreachable
                  end
                  unreachable
                end
              end
              unreachable
            end
            unreachable
          end
          unreachable
        end
        unreachable
      end
      unreachable
    end
    unreachable
  )
  (func (;2;) (type 2) (param i32 i32) (result i64)
    unreachable
  )
  (func (;3;) (type 3) (param i32 i32) (result i64)
    unreachable
  )
  (func (;4;) (type 4))
  (@custom "divvy.manifest" (after code) "{\22abi\22: \221.0\22, \22name\22: \22drawn\22}")
)
