;; call trap: divvy_alloc stopped with wasm trap: wasm `unreachable` instruction executed
;; Drawn by wasm-smith from seed 23 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func))
  (type (;1;) (func (param i32) (result i32)))
  (type (;2;) (func (param i32 i32) (result i64)))
  (type (;3;) (func (param i32 i32) (result i64)))
  (type (;4;) (func))
  (table (;0;) 3593 funcref)
  (memory (;0;) 1 4)
  (global (;0;) v128 v128.const i32x4 0x3810e13b 0x48fb2e99 0x464e105d 0x92ba0304)
  (export "memory" (memory 0))
  (export "divvy_abi_v1" (func 0))
  (export "divvy_alloc" (func 1))
  (export "divvy_assign" (func 2))
  (export "divvy_user_data" (func 3))
  (export "_initialize" (func 4))
  (elem (;0;) (i32.const 249) func)
  (func (;0;) (type 0)
    br 0
    memory.size
    i32.popcnt
    i64.load offset=3059 align=2
    block (type 4) ;; label = @1
    end
    i64.clz
    i64.extend32_s
    memory.size
    i64.load16_u offset=34218 align=1
    i64.lt_u
    i32.ctz
    if (result f32) ;; label = @1
      call 4
      loop (result i32) ;; label = @2
        return_call 4
        loop (result i32) ;; label = @3
          v128.const i32x4 0x2d0d9593 0x5a70154f 0x07849768 0x25f547a8
          i32x4.trunc_sat_f64x2_s_zero
          i32x4.trunc_sat_f32x4_u
          f64x2.sqrt
          i16x8.extadd_pairwise_i8x16_u
          f64x2.convert_low_i32x4_s
          i32x4.extract_lane 1
          i64.load8_s offset=6133
          f32.const -0x1.dfeafep-36 (;=-0.000000000027280176;)
          f32.nearest
          f32.floor
          i64.const 8797846781650329383
          f32.convert_i64_u
          i64.trunc_f32_s
          f32.const -0x1.284e8ep-80 (;=-0.0000000000000000000000009574191;)
          f32.const -0x1.fffffep+120 (;=-2658455800000000000000000000000000000;)
          f32.const 0x1.fff8p-132 (;=0.00000000000000000000000000000000000000036732;)
          f32.neg
          i32.const 72093039
          return_call_indirect (type 0)
          f64.promote_f32
          f64.sqrt
          f64.neg
          return_call 4
          f64x2.splat
          i16x8.extend_high_i8x16_s
          i32x4.extend_low_i16x8_s
          f64x2.convert_low_i32x4_u
          f32x4.demote_f64x2_zero
          f32x4.convert_i32x4_u
          i16x8.extend_high_i8x16_s
          i16x8.extend_low_i8x16_s
          i16x8.extadd_pairwise_i8x16_s
          f32x4.nearest
          i32x4.extend_high_i16x8_u
          i16x8.all_true
          f32.load offset=21170 align=1
          i32.const 16843009
          i64.extend_i32_u
          i32.wrap_i64
          return_call 4
          i32.clz
          v128.load16_splat offset=189789
          i32x4.extend_high_i16x8_u
          i8x16.abs
          i32x4.extend_high_i16x8_u
          i8x16.extract_lane_s 1
          i32.load16_u offset=21383 align=1
          v128.load8x8_s offset=50660 align=4
          f64x2.abs
          i32.const -78873151
          i32.extend16_s
          v128.load8_splat offset=21492
          i8x16.neg
          f64.const -nan:0xffffffffffffc (;=NaN;)
          f64x2.replace_lane 0
          i16x8.all_true
          f64.load offset=50124
          f64.const -0x1.6dc97a526aca4p-531 (;=-0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020326407630791867;)
          f64x2.splat
          i16x8.bitmask
          if (result v128) ;; label = @4
            i32.const 65520
            if (result f32) ;; label = @5
              memory.size
              elem.drop 0
              elem.drop 0
              return_call 0
              i64.load16_s offset=2952
              i32.wrap_i64
              call 1
              v128.load8_splat offset=10066
              f64x2.sqrt
              i32x4.trunc_sat_f32x4_u
              i16x8.neg
              i32x4.extend_high_i16x8_u
              i8x16.bitmask
              i32.popcnt
              loop (type 0) ;; label = @6
                loop (result i64) ;; label = @7
                  nop
                  loop (type 0) ;; label = @8
                    call 4
                    i64.const 6254574692731841772
                    i64.popcnt
                    loop (result v128) ;; label = @9
                      loop ;; label = @10
                        block (type 0) ;; label = @11
                          i32.const -949809623
                          i32.extend8_s
                          v128.load64_splat offset=45910 align=1
                          v128.const i32x4 0x7959762d 0x323e3ffa 0x26218351 0xcd94780a
                          i8x16.ge_s
                          f64x2.trunc
                          i32x4.trunc_sat_f64x2_s_zero
                          global.get 0
                          i32x4.sub
                          i32x4.extend_low_i16x8_s
                          f64.const 0x1.fffcp-1057 (;=0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001295124;)
                          i32.const 16777216
                          i32.eqz
                          block ;; label = @12
                            i64.const -8491660340067519154
                            return_call 4
                            return_call 4
                            f32.convert_i64_u
                            i32.trunc_sat_f32_u
                            f64.const 0x1p-991 (;=0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004778309726736481;)
                            return_call 0
                            elem.drop 0
                            block (type 0) ;; label = @13
                            end
                            i64.trunc_f64_s
                            call 0
                            call 0
                            i64.extend16_s
                            i64.store offset=243689
                            elem.drop 0
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
            else
              unreachable
            end
            unreachable
          else
            unreachable
          end
          unreachable
        end
      end
      unreachable
    else
      unreachable
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
