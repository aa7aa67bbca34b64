;; ?
;; Drawn by wasm-smith from seed 53 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func))
  (type (;1;) (func (param i32) (result i32)))
  (type (;2;) (func (param i32 i32) (result i64)))
  (type (;3;) (func (param i32 i32) (result i64)))
  (type (;4;) (func))
  (memory (;0;) 1 4)
  (export "memory" (memory 0))
  (export "divvy_abi_v1" (func 0))
  (export "divvy_alloc" (func 1))
  (export "divvy_assign" (func 2))
  (export "divvy_user_data" (func 3))
  (export "_initialize" (func 4))
  (func (;0;) (type 0)
    loop (type 4) ;; label = @1
      ref.null extern
      ref.is_null
      block (type 1) (param i32) (result i32) ;; label = @2
        v128.load16x4_u offset=40904 align=4
        i64x2.extend_high_i32x4_u
        f64x2.trunc
        block (type 4) ;; label = @3
          br 2 (;@1;)
          f64.const 0x1.50293cd3d5fb5p-843 (;=0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000022388300424047584;)
          f32.const 0x1.6cfd04p+29 (;=765436000;)
          i64.trunc_f32_u
          br 0 (;@3;)
          i64.extend8_s
          f32.const 0x1.p-130 (;=0.000000000000000000000000000000000000000734684;)
          block (type 4) ;; label = @4
            f32.const 0x1.p-147 (;=0.000000000000000000000000000000000000000000006;)
            f32.const 0x1.aea8bcp+35 (;=57802090000;)
            f32.eq
            i8x16.splat
            f32.const 0x1.d8e35cp+80 (;=2233151000000000000000000;)
            i32.trunc_f32_u
            v128.load16x4_s offset=73871 align=4
            f32.const -0x1.cde2d6p-43 (;=-0.00000000000020511862;)
            block (type 4) ;; label = @5
              return_call 0
              unreachable
              loop (type 0) ;; label = @6
                call 0
                i32.const -1723967855
                v128.const i32x4 0xde234324 0xad3afdd5 0x20f3aab6 0x48a395b7
                i8x16.bitmask
                i32.popcnt
                i32.add
                loop (type 1) (param i32) (result i32) ;; label = @7
                  i64.load32_u offset=45606 align=2
                  i64.popcnt
                  f32.convert_i64_u
                  i32.trunc_sat_f32_u
                  ref.null extern
                  f32.const 0x1.761d72p-22 (;=0.00000034842176;)
                  f32.trunc
                  i64.trunc_f32_u
                  i64.const 65538
                  i64.shr_u
                  memory.size
                  br 2 (;@5;)
                  f32.convert_i32_u
                  i32.trunc_sat_f32_u
                  v128.load64_zero offset=19516 align=4
                  f32x4.nearest
                  i8x16.abs
                  i64x2.extend_high_i32x4_s
                  f64x2.promote_low_f32x4
                  f32x4.convert_i32x4_s
                  i32x4.extadd_pairwise_i16x8_s
                  f64x2.floor
                  f64x2.ceil
                  i64x2.neg
                  i64x2.all_true
                  ref.null extern
                  ref.is_null
                  i64.extend_i32_u
                  block (type 4) ;; label = @8
                    loop (result f64) ;; label = @9
                      f64.const 0x1.fcp-1068 (;=0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000627;)
                      return_call 0
                      return_call 4
                      loop (result f64) ;; label = @10
                        f32.const -nan:0x3fffff (;=NaN;)
                        f32.floor
                        block (result v128) ;; label = @11
                          nop
                          unreachable
                          call 0
                          br 11
                          i32.const 2147483647
                          f32.load offset=20080 align=2
                          f64.promote_f32
                          f64.const 0x1.8bedcff6ef9b3p-340 (;=0.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000006905239912114779;)
                          f64.nearest
                          block (type 4) ;; label = @12
                            i64.const 17592186044416
                            call 4
                            loop (type 0) ;; label = @13
                              f64.const -0x1.aceede8d7e8f1p+439 (;=-2378579522214181600000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000;)
                              i64.trunc_f64_u
                              f64.const -nan:0xfffffe0000000 (;=NaN;)
                              i64.reinterpret_f64
                              memory.size
                              i32.eqz
                              i64.load32_s offset=46342 align=1
                              i64.and
                              i64.popcnt
                              i64.rem_u
                              i64x2.splat
                              i16x8.all_true
                              v128.load64_splat offset=25325 align=4
                              i32x4.extend_low_i16x8_u
                              i32x4.extract_lane 2
                              i32.popcnt
                              i32.load16_u offset=6883 align=1
                              memory.grow
                              i64.load offset=36396 align=1
                              f32.const 0x1.fcp-143 (;=0.000000000000000000000000000000000000000000178;)
                              ref.null extern
                              memory.size
                              i64.load8_s offset=3302
                              ref.null func
                              i64.const 65534
                              block (type 4) ;; label = @14
                                ref.null extern
                                f32.const 0x1.ffff8p-132 (;=0.00000000000000000000000000000000000000036734;)
                                br 4 (;@10;)
                                i32.trunc_sat_f32_s
                                if (type 4) ;; label = @15
                                  block (type 0) ;; label = @16
                                    ref.null func
                                    ref.is_null
                                    memory.size
                                    i32.ge_u
                                    f32.convert_i32_u
                                    return_call 0
                                    i64.trunc_sat_f32_u
                                    br 3 (;@13;)
                                    i64.const 281474976710655
                                    loop (result i64) ;; label = @17
                                      ref.null func
                                      i32.const 594487437
                                      i32.load8_u offset=4954
                                      i32.load16_u offset=11936
                                      memory.grow
                                      br_table 0 (;@17;) 1 (;@16;) 2 (;@15;) 3 (;@14;) 4 (;@13;) 5 (;@12;) 7 (;@10;) 8 (;@9;) 9 (;@8;) 11 (;@6;) 12 (;@5;) 13 (;@4;) 14 (;@3;) 16 (;@1;) 17 14 (;@3;)
                                      memory.size
                                      f64.const -0x1p+1009 (;=-5486124068793689000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000;)
                                      i64.trunc_sat_f64_u
                                      f64.reinterpret_i64
                                      i64.const 34359738368
                                      f64.const 0x1.1bdef08be1905p-218 (;=0.0000000000000000000000000000000000000000000000000000000000000000026323388307442514;)
                                      v128.const i32x4 0xc2b1678f 0xc7d254e3 0x5758b4d6 0x94826ab1
                                      i8x16.extract_lane_s 2
                                      unreachable
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
      end
      unreachable
    end
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
