;; call trap: divvy_alloc stopped with wasm trap: wasm `unreachable` instruction executed
;; Drawn by wasm-smith from seed 29 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func))
  (type (;1;) (func (param i32) (result i32)))
  (type (;2;) (func (param i32 i32) (result i64)))
  (type (;3;) (func (param i32 i32) (result i64)))
  (type (;4;) (func))
  (table (;0;) 125 744504 funcref)
  (memory (;0;) 1 4)
  (export "memory" (memory 0))
  (export "divvy_abi_v1" (func 0))
  (export "divvy_alloc" (func 1))
  (export "divvy_assign" (func 2))
  (export "divvy_user_data" (func 3))
  (export "_initialize" (func 4))
  (start 4)
  (elem (;0;) (i32.const 0) func)
  (elem (;1;) declare func)
  (elem (;2;) (i32.const 0) func 4)
  (func (;0;) (type 0)
    memory.size
    v128.load16x4_u offset=35853 align=4
    f32x4.trunc
    i16x8.extend_low_i8x16_u
    call 4
    block ;; label = @1
      br 0 (;@1;)
      i32.const 121893498
      br 0 (;@1;)
      v128.load8_splat offset=15368
      i32x4.extract_lane 3
      i64.load16_u offset=49243 align=1
      i64.clz
      call 0
      i64.clz
      elem.drop 0
      i64.const -4503599627370497
      f32.const 0x1.ff8p-140 (;=0.000000000000000000000000000000000000000001434;)
      br 0 (;@1;)
      return_call 0
      i32.reinterpret_f32
      v128.load offset=42918
      i16x8.neg
      f64x2.nearest
      i64x2.neg
      loop (result v128) ;; label = @2
        loop (result f64) ;; label = @3
          call 4
          call 4
          f64.const 0x1.fffffff8p-1045 (;=0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000005304989472;)
          return_call 0
          f64.trunc
          f64.ceil
        end
        i64.reinterpret_f64
        i64.clz
        f64.const 0x1.fffffffffffcp-1028 (;=0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000695335580783495;)
        return
        call 4
        f64.floor
        loop (type 0) ;; label = @3
          f64.const 0x1.p-1072 (;=0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002;)
          f64.ceil
          i64.trunc_f64_u
          f32.const 0x1.7038bap-25 (;=0.000000042866635;)
          return_call 0
          loop ;; label = @4
            f32.const 0x1.f8p-143 (;=0.000000000000000000000000000000000000000000177;)
            block ;; label = @5
              loop ;; label = @6
                v128.const i32x4 0xc859d007 0x77c289ac 0xe6e0b709 0xcf27c8c2
                f32x4.nearest
                i32x4.extend_high_i16x8_u
                i8x16.all_true
                loop ;; label = @7
                  memory.size
                  i64.load32_s offset=17299
                  f64.convert_i64_u
                  f64.ceil
                  loop (result i64) ;; label = @8
                    block (result f32) ;; label = @9
                      block (type 4) ;; label = @10
                        f64.const -0x1.8b9ae9010ecd4p+414 (;=-65379281111479850000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000;)
                        memory.size
                        f64.load offset=94933
                        f64.ge
                        i64.extend_i32_s
                        i64.extend8_s
                        i64.ctz
                        block ;; label = @11
                        end
                        i32.wrap_i64
                        i32.load16_u offset=58491
                        v128.load8x8_s offset=4146 align=1
                        i32x4.extend_low_i16x8_u
                        block (type 0) ;; label = @11
                          return_call 4
                          elem.drop 2
                          f32.const 0x1.8450ecp-126 (;=0.000000000000000000000000000000000000017830601;)
                          elem.drop 2
                          block (type 4) ;; label = @12
                            i64.const 126
                            i64.popcnt
                            f32.convert_i64_s
                            i64.trunc_sat_f32_u
                            block ;; label = @13
                              memory.size
                              v128.load32x2_s offset=60535
                              i16x8.extract_lane_u 6
                              i64.load16_s offset=61841
                              i64.eqz
                              v128.load8x8_s offset=51608
                              i16x8.abs
                              i32x4.trunc_sat_f64x2_s_zero
                              i32x4.extend_low_i16x8_s
                              f64.const 0x1.p-1064 (;=0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000506;)
                              block (result i64) ;; label = @14
                                return_call 4
                                i32.const 127
                                if (type 0) ;; label = @15
                                  loop (type 0) ;; label = @16
                                    call 4
                                    call 0
                                    f64.const -0x1.fffffffffffffp+768 (;=-3105036184601417500000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000;)
                                    loop ;; label = @17
                                    end
                                    br 10 (;@6;)
                                    return_call 4
                                    f64.trunc
                                    call 4
                                    i64.trunc_sat_f64_u
                                    i32.const 35229664
                                    i32.load16_u offset=52433 align=1
                                    i32.const 1023
                                    i32.extend16_s
                                    f32.convert_i32_s
                                    loop ;; label = @17
                                    end
                                    v128.const i32x4 0x0850e4d4 0x37e48fcc 0x95f473a1 0xffe80b13
                                    f64x2.neg
                                    i8x16.bitmask
                                    v128.load64_zero offset=27932 align=4
                                    i32x4.extadd_pairwise_i16x8_u
                                    f32x4.demote_f64x2_zero
                                    i16x8.neg
                                    i32.const -45561845
                                    i32.const 1
                                    i32.ne
                                    i32x4.replace_lane 0
                                    f64x2.neg
                                    i16x8.extend_low_i8x16_u
                                    f32.const 0x1.fffff8p-128 (;=0.00000000000000000000000000000000000000587747;)
                                    v128.const i32x4 0x87fa5181 0xa94e9af7 0x9cee775d 0x2c6226a7
                                    block ;; label = @17
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
