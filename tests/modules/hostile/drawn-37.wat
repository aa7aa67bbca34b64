;; call trap: divvy_alloc stopped with wasm trap: wasm `unreachable` instruction executed
;; Drawn by wasm-smith from seed 37 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func (param i64) (result i64 v128)))
  (type (;1;) (func))
  (type (;2;) (func (param f64)))
  (type (;3;) (func))
  (type (;4;) (func (param v128) (result i32 v128)))
  (type (;5;) (func))
  (type (;6;) (func (param i32) (result i32)))
  (type (;7;) (func (param i32 i32) (result i64)))
  (type (;8;) (func (param i32 i32) (result i64)))
  (type (;9;) (func))
  (memory (;0;) 1 4)
  (export "memory" (memory 0))
  (export "divvy_abi_v1" (func 2))
  (export "divvy_alloc" (func 3))
  (export "divvy_assign" (func 4))
  (export "divvy_user_data" (func 5))
  (export "_initialize" (func 6))
  (elem (;0;) func 0)
  (elem (;1;) func 1)
  (elem (;2;) func 3 6 5 1)
  (elem (;3;) func)
  (func (;0;) (type 0) (param i64) (result i64 v128)
    i64.const -8192
    local.get 0
    local.get 0
    i64.sub
    call 6
    i64.ge_s
    f32.load offset=59779 align=1
    local.get 0
    i64.eqz
    i64.load8_s offset=48730
    i32.wrap_i64
    v128.load64_zero offset=65472 align=1
    i64x2.extend_low_i32x4_s
    loop ;; label = @1
      memory.size
      if (result f64) ;; label = @2
        f32.const 0x1.p-134 (;=0.000000000000000000000000000000000000000045918;)
        f32.sqrt
        local.get 0
        local.get 0
        i64x2.splat
        f32x4.nearest
        i16x8.bitmask
        i64.extend_i32_s
        i64.clz
        i64.xor
        i64.extend32_s
        i64.clz
        i64.popcnt
        f64.const 0x1.fffcp-1057 (;=0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001295124;)
        local.get 0
        local.get 0
        i64.xor
        i64.extend32_s
        block (type 9) ;; label = @3
          local.get 0
          call 6
          loop (type 5) ;; label = @4
            v128.const i32x4 0x39591714 0xb9bffbb3 0x1fe77135 0xd78436aa
            i8x16.neg
            f64x2.convert_low_i32x4_s
            f64x2.trunc
            i16x8.extract_lane_u 6
            i32.load16_u offset=40906 align=1
            v128.const i32x4 0xdda64a75 0xd5fea08a 0x28eb1a27 0x1f37570a
            f32x4.convert_i32x4_u
            f64x2.promote_low_f32x4
            i32.const 1747782691
            v128.load offset=60277 align=1
            i64x2.eq
            f32x4.floor
            i32x4.trunc_sat_f32x4_s
            v128.store offset=56401 align=1
            memory.size
            i32.load offset=37308 align=2
            v128.load64_splat offset=36540
            i16x8.abs
            f64x2.ceil
            i32x4.trunc_sat_f64x2_u_zero
            f32x4.ceil
            f32x4.floor
            f32x4.nearest
            f32x4.demote_f64x2_zero
            f32x4.nearest
            i16x8.abs
            f32.const 0x1.74a6e2p+11 (;=2981.215;)
            f32.nearest
            i32.trunc_f32_s
            f32.const 0x1.ab3014p+120 (;=2218085900000000000000000000000000000;)
            f32.floor
            i32.trunc_f32_u
            i32.eqz
            f32.const 0x1.1b0c9p-49 (;=0.0000000000000019640475;)
            i32.const -129
            if (type 5) ;; label = @5
              f32.const 0x1.fffffep-124 (;=0.00000000000000000000000000000000000009403954;)
              f32.nearest
              f32.neg
              v128.const i32x4 0x94268804 0x85499a96 0x0a8a0517 0x85187eba
              i16x8.extend_high_i8x16_u
              loop (type 1) ;; label = @6
                block (type 9) ;; label = @7
                end
                f32.const 0x1.p-131 (;=0.000000000000000000000000000000000000000367342;)
                f32x4.splat
                f64x2.nearest
                f64x2.trunc
                i32x4.all_true
                i64.const -2711158227254935070
                loop ;; label = @7
                  local.get 0
                  elem.drop 1
                  loop (type 9) ;; label = @8
                    loop (type 9) ;; label = @9
                      br 4 (;@5;)
                      block (type 5) ;; label = @10
                      end
                      loop (type 9) ;; label = @10
                        local.get 0
                        call 1
                        return_call 0
                        i32x4.extadd_pairwise_i16x8_u
                        f32x4.neg
                        v128.not
                        f64x2.convert_low_i32x4_u
                        i32x4.all_true
                        i32.load16_s offset=57487 align=1
                        if (type 9) ;; label = @11
                        else
                          block (type 9) ;; label = @12
                          end
                          local.get 0
                          i64x2.splat
                          i64x2.extend_high_i32x4_u
                          f32x4.floor
                          i64x2.bitmask
                          v128.load32_zero offset=29717 align=1
                          f64x2.promote_low_f32x4
                          f32x4.extract_lane 0
                          v128.const i32x4 0xd23f7b24 0xda3adab4 0x1f74a907 0x7a24bd1b
                          call 6
                          f64x2.extract_lane 0
                          i32.trunc_sat_f64_s
                          f64.const -nan:0xff00000000000 (;=NaN;)
                          i64.trunc_f64_s
                          i64.extend32_s
                          i64.extend8_s
                          f32.convert_i64_u
                          memory.size
                          v128.load8x8_u offset=532 align=2
                          f64x2.abs
                          i16x8.extend_low_i8x16_s
                          drop
                          drop
                          drop
                          drop
                        end
                        unreachable
                      end
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
      else
        unreachable
      end
      unreachable
    end
    unreachable
  )
  (func (;1;) (type 3))
  (func (;2;) (type 5))
  (func (;3;) (type 6) (param i32) (result i32)
    unreachable
  )
  (func (;4;) (type 7) (param i32 i32) (result i64)
    unreachable
  )
  (func (;5;) (type 8) (param i32 i32) (result i64)
    unreachable
  )
  (func (;6;) (type 9))
  (@custom "divvy.manifest" (after code) "{\22abi\22: \221.0\22, \22name\22: \22drawn\22}")
)
