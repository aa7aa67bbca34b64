;; ?
;; Drawn by wasm-smith from seed 29 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func))
  (type (;1;) (func (param i32) (result i32)))
  (type (;2;) (func (param i32 i32) (result i64)))
  (type (;3;) (func (param i32 i32) (result i64)))
  (type (;4;) (func))
  (table (;0;) 125 744504 funcref)
  (memory (;0;) 364)
  (memory (;1;) 1 4)
  (global (;0;) (mut f32) f32.const -0x1.c3735cp-78 (;=-0.0000000000000000000000058348625;))
  (global (;1;) (mut v128) v128.const i32x4 0x5330404c 0xce1ad689 0x14527c80 0x78c0d7ff)
  (export "memory" (memory 1))
  (export "divvy_abi_v1" (func 0))
  (export "divvy_alloc" (func 1))
  (export "divvy_assign" (func 2))
  (export "divvy_user_data" (func 3))
  (export "_initialize" (func 4))
  (start 0)
  (func (;0;) (type 0)
    global.get 0
    f32.nearest
    loop ;; label = @1
      block ;; label = @2
        i32.const -286648157
        v128.load16x4_s offset=1510582 align=1
        global.get 0
        i64.trunc_f32_u
        i64x2.splat
        nop
        i16x8.max_s
        block (type 0) ;; label = @3
          return_call 0
          br 2 (;@1;)
          call 4
          call 4
          i32.const 1023
          i32.ctz
          v128.load64_zero 1 offset=53486
          i32x4.trunc_sat_f64x2_u_zero
          i64x2.all_true
          f32.const -nan:0x780000 (;=NaN;)
          f32.ceil
          f32.abs
          i64.trunc_f32_u
          i32.const 23855106
          i32.load 1 offset=21162 align=2
          i32x4.splat
          i64x2.extract_lane 0
          i64.shr_u
          f64.reinterpret_i64
          block ;; label = @4
            br 0 (;@4;)
            ref.null func
            f32.const 0x1.5c9f7ap-101 (;=0.0000000000000000000000000000005371387;)
            i32.trunc_sat_f32_u
            memory.size
            i64.load32_u offset=3435825919
            table.size 0
            i8x16.splat
            f64x2.nearest
            br 1 (;@3;)
            i16x8.extract_lane_u 5
            v128.load8x8_s 1 offset=48014 align=4
            i8x16.extract_lane_s 15
            if (type 4) ;; label = @5
              loop (result f32) ;; label = @6
                memory.size 1
                table.size 0
                i64.load32_u 1 offset=62531
                f32.const 0x1.d875dp+118 (;=613288400000000000000000000000000000;)
                memory.size
                v128.load offset=14041925 align=2
                i8x16.abs
                i64.const 7563581474390031713
                loop (type 0) ;; label = @7
                  return_call 0
                  return
                  loop (result f32) ;; label = @8
                    memory.size 1
                    v128.load16x4_s 1 offset=5362 align=4
                    block ;; label = @9
                      return_call 0
                      f64.const 0x1.ad63a07e63d34p+84 (;=32443728217680434000000000;)
                      global.get 1
                      f64x2.convert_low_i32x4_s
                      i32x4.extend_high_i16x8_s
                      f32x4.neg
                      i32x4.extadd_pairwise_i16x8_s
                      i8x16.neg
                      f64x2.convert_low_i32x4_s
                      i16x8.extadd_pairwise_i8x16_s
                      v128.const i32x4 0x5000c228 0xcbe310e2 0x7c5f7903 0xf88b2dbe
                      f32x4.lt
                      ref.null func
                      ref.is_null
                      f64.convert_i32_s
                      f64x2.replace_lane 0
                      f64x2.ceil
                      i16x8.extract_lane_s 5
                      i64.extend_i32_s
                      block (type 0) ;; label = @10
                        global.get 0
                        f32.abs
                        i32.const 0
                        v128.load8x8_s offset=15976473 align=4
                        i32x4.extadd_pairwise_i16x8_u
                        f32x4.convert_i32x4_s
                        f32x4.abs
                        i32x4.extadd_pairwise_i16x8_s
                        i16x8.extend_high_i8x16_u
                        f32x4.convert_i32x4_u
                        i32x4.extadd_pairwise_i16x8_u
                        i16x8.extadd_pairwise_i8x16_s
                        i64x2.extract_lane 1
                        i64.const -8362146405084063750
                        block (type 4) ;; label = @11
                        end
                        i64.eqz
                        i32x4.splat
                        i32x4.abs
                        f32x4.trunc
                        call 0
                        i8x16.neg
                        i8x16.neg
                        memory.size 1
                        i64.const -8914396305681233119
                        f32.const 0x1.p-144 (;=0.000000000000000000000000000000000000000000045;)
                        ref.null extern
                        ref.is_null
                        v128.load32x2_s offset=13104164
                        f32x4.neg
                        f32x4.floor
                        f64x2.sqrt
                        i32x4.abs
                        f32x4.demote_f64x2_zero
                        i64x2.bitmask
                        v128.load32x2_u 1 offset=4067 align=4
                        i16x8.neg
                        f64x2.trunc
                        i8x16.abs
                        i64x2.extend_low_i32x4_u
                        i16x8.extend_high_i8x16_u
                        i64x2.neg
                        i16x8.bitmask
                        i64.extend_i32_u
                        br 9 (;@1;)
                        f32.convert_i64_u
                        i32.trunc_f32_s
                        i32.popcnt
                        i64.load8_s 1 offset=39865
                        ref.null func
                        unreachable
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
        unreachable
      end
    end
    unreachable
  )
  (func (;1;) (type 1) (param i32) (result i32)
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
