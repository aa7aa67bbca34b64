;; call trap: divvy_alloc stopped with wasm trap: wasm `unreachable` instruction executed
;; Drawn by wasm-smith from seed 3 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func (param i64 f64) (result v128 v128 f64)))
  (type (;1;) (func (result i64 i32)))
  (type (;2;) (func))
  (type (;3;) (func (param i32) (result i32)))
  (type (;4;) (func (param i32 i32) (result i64)))
  (type (;5;) (func (param i32 i32) (result i64)))
  (type (;6;) (func))
  (table (;0;) 287 funcref)
  (memory (;0;) 1 4)
  (global (;0;) (mut f32) f32.const 0x1.6e123ep+111 (;=3712403600000000000000000000000000;))
  (global (;1;) f32 f32.const 0x1.977dfap+6 (;=101.873024;))
  (global (;2;) f32 f32.const -0x1.0b242cp+58 (;=-300774360000000000;))
  (global (;3;) (mut f64) f64.const -0x1.4e0c849ee7ae3p-155 (;=-0.000000000000000000000000000000000000000000000028570691446649353;))
  (global (;4;) (mut v128) v128.const i32x4 0xa9b1a203 0x7acce376 0xb612d7d4 0x487fb2cc)
  (export "memory" (memory 0))
  (export "divvy_abi_v1" (func 5))
  (export "divvy_alloc" (func 6))
  (export "divvy_assign" (func 7))
  (export "divvy_user_data" (func 8))
  (export "_initialize" (func 9))
  (elem (;0;) declare func)
  (func (;0;) (type 0) (param i64 f64) (result v128 v128 f64)
    local.get 1
    v128.const i32x4 0x9593349f 0x5c560422 0x4e65f01c 0xeab7a67c
    f64x2.neg
    f64x2.neg
    f64x2.trunc
    i32x4.trunc_sat_f32x4_s
    i8x16.neg
    i64x2.extend_low_i32x4_s
    i16x8.abs
    i8x16.extract_lane_u 15
    block (type 6) ;; label = @1
      i64.const 576460752303423488
      elem.drop 0
      f64.convert_i64_u
      i32.trunc_f64_u
      i64.extend_i32_u
      memory.size
      br_if 0 (;@1;)
      i64.clz
      i32.wrap_i64
      f32.load offset=48844
      i64.trunc_sat_f32_s
      local.get 0
      f64.const 0x1.cca84a1ebd4e3p-33 (;=0.00000000020948272366813675;)
      f32.const 0x1.p-135 (;=0.000000000000000000000000000000000000000022959;)
      call 5
      f32.nearest
      i64.trunc_f32_u
      f64.const -nan:0xfffffffffff00 (;=NaN;)
      f64.nearest
      i32.trunc_sat_f64_s
      br 0 (;@1;)
      loop (type 6) ;; label = @2
        f64.const -nan:0xfffffffefffff (;=NaN;)
        memory.size
        br 0 (;@2;)
        f32.load offset=47765 align=2
        i32.trunc_sat_f32_u
        f32.convert_i32_u
        i64.trunc_f32_s
        memory.size
        f32.convert_i32_u
        f32.nearest
        i32.trunc_sat_f32_s
        i32.load8_u offset=6034
        block (type 6) ;; label = @3
          block (type 6) ;; label = @4
            loop (type 1) (result i64 i32) ;; label = @5
              elem.drop 0
              global.get 3
              global.get 2
              f32.neg
              block ;; label = @6
                call 5
                f32.const 0x1.7cafdep-49 (;=0.0000000000000026415466;)
                f32.const 0x1.36692p-28 (;=0.0000000045170694;)
                f32.ceil
                call 9
                i32.reinterpret_f32
                i64.load32_s offset=18655 align=2
                memory.size
                i64.load16_s offset=141
                i64.extend8_s
                i64.sub
                i64.ctz
                nop
                call 1
                i32.extend8_s
                i64.load32_s offset=8385
                i32.const 262136
                global.get 4
                f64x2.convert_low_i32x4_s
                i16x8.extend_high_i8x16_s
                i8x16.abs
                f64x2.neg
                i64x2.extend_low_i32x4_u
                i16x8.extend_low_i8x16_s
                memory.size
                memory.grow
                i64.load8_s offset=49267
                f32.const 0x1.0004p-133 (;=0.000000000000000000000000000000000000000091841;)
                call 5
                f64.const -nan:0xfffffdfffffff (;=NaN;)
                i64.trunc_sat_f64_u
                f64.reinterpret_i64
                loop (type 6) ;; label = @7
                  i64.const -6843123832952549350
                  i32.const 254751257
                  i64.load32_u offset=254599
                  memory.size
                  i64.load16_s offset=35962
                  i64.gt_u
                  br 0 (;@7;)
                  br 5 (;@2;)
                  i32.ctz
                  loop (type 3) (param i32) (result i32) ;; label = @8
                    f64.load offset=24141 align=4
                    global.set 3
                    f32.const 0x1.p-132 (;=0.000000000000000000000000000000000000000183671;)
                    i64.trunc_sat_f32_s
                    i64.extend16_s
                    br 3 (;@5;)
                    i32.const 424514917
                    br 6 (;@2;)
                    i32.load8_u offset=19715
                    i32.popcnt
                    i8x16.splat
                    f32x4.floor
                    i8x16.neg
                    br 2 (;@6;)
                    i16x8.extend_low_i8x16_s
                    loop (type 6) ;; label = @9
                      br 8 (;@1;)
                      loop (type 1) (result i64 i32) ;; label = @10
                        block ;; label = @11
                          i64.const -268435456
                          i64.const 2949968073064867272
                          i64.extend32_s
                          i32.const 1305294430
                          i32.load8_u offset=7938
                          v128.load64_splat offset=28424 align=4
                          f32x4.neg
                          i16x8.extadd_pairwise_i8x16_u
                          i32x4.extract_lane 3
                          v128.load16x4_s offset=253695 align=4
                          elem.drop 0
                          br 8 (;@3;)
                          i8x16.bitmask
                          nop
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
  )
  (func (;1;) (type 1) (result i64 i32)
    unreachable
  )
  (func (;2;) (type 0) (param i64 f64) (result v128 v128 f64)
    unreachable
  )
  (func (;3;) (type 0) (param i64 f64) (result v128 v128 f64)
    unreachable
  )
  (func (;4;) (type 0) (param i64 f64) (result v128 v128 f64)
    unreachable
  )
  (func (;5;) (type 2))
  (func (;6;) (type 3) (param i32) (result i32)
    unreachable
  )
  (func (;7;) (type 4) (param i32 i32) (result i64)
    unreachable
  )
  (func (;8;) (type 5) (param i32 i32) (result i64)
    unreachable
  )
  (func (;9;) (type 6))
  (@custom "divvy.manifest" (after code) "{\22abi\22: \221.0\22, \22name\22: \22drawn\22}")
)
