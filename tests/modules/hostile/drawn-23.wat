;; ?
;; Drawn by wasm-smith from seed 23 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func))
  (type (;1;) (func (param i32) (result i32)))
  (type (;2;) (func (param i32 i32) (result i64)))
  (type (;3;) (func (param i32 i32) (result i64)))
  (type (;4;) (func))
  (table (;0;) 3593 externref)
  (memory (;0;) 0)
  (memory (;1;) 1 4)
  (global (;0;) (mut v128) v128.const i32x4 0x4e105d48 0xba030446 0xf7042092 0x1978ec76)
  (export "memory" (memory 1))
  (export "divvy_abi_v1" (func 0))
  (export "divvy_alloc" (func 1))
  (export "divvy_assign" (func 2))
  (export "divvy_user_data" (func 3))
  (export "_initialize" (func 4))
  (func (;0;) (type 0)
    loop (result i64) ;; label = @1
      block ;; label = @2
        ref.null extern
        return
        br 0 (;@2;)
        i32.const -8388608
        call 1
        table.grow 0
        i8x16.splat
        v128.const i32x4 0x3c513e4f 0xa284f1cb 0x29bb0b8f 0x90dd8748
        f64x2.max
        i16x8.extract_lane_s 1
        v128.load 1 offset=21609 align=2
        i64.const -2048
        v128.const i32x4 0x47a80784 0x683125f5 0x203e2100 0x02c0278c
        i16x8.bitmask
        v128.load align=8
        i8x16.neg
        i32x4.abs
        i16x8.extend_high_i8x16_s
        i16x8.extend_low_i8x16_s
        i8x16.extract_lane_s 9
        table.size 0
        v128.load16_splat
        global.get 0
        f64x2.trunc
        f64x2.min
        f64x2.sqrt
        i32x4.extend_low_i16x8_u
        i32x4.extend_high_i16x8_s
        f64x2.abs
        v128.store64_lane 0
        br 1 (;@1;)
        block (type 4) ;; label = @3
          return_call 0
          nop
          block ;; label = @4
            call 4
            block (type 0) ;; label = @5
              i32.const -178218620
              f64.convert_i32_s
              return_call 4
              i32.trunc_sat_f64_u
              memory.grow 1
              br_table 0 (;@5;) 1 (;@4;) 2 (;@3;) 3 (;@2;) 4 (;@1;) 5 5
              block (result i32) ;; label = @6
                block (type 0) ;; label = @7
                  v128.const i32x4 0x4cd4cee9 0x21386d52 0x9d53eba1 0xde1e1f69
                  i32x4.extend_high_i16x8_s
                  i32.const -2028914398
                  v128.const i32x4 0xe58e5f3b 0x4a03938c 0x593b558b 0x9c6545e9
                  f32x4.abs
                  i32x4.bitmask
                  i32.ge_u
                  v128.load64_splat 1 offset=27786 align=1
                  i64x2.gt_s
                  i32x4.extend_high_i16x8_s
                  f32x4.floor
                  f32x4.nearest
                  f32x4.nearest
                  i32x4.trunc_sat_f32x4_u
                  f32x4.abs
                  i64x2.all_true
                  f64.convert_i32_u
                  i64.const 4770637374973433912
                  return_call 4
                  i32.const -1541624792
                  i32.load 1 offset=40267 align=2
                  call 0
                  i32x4.splat
                  i64x2.neg
                  f32x4.ceil
                  i16x8.extadd_pairwise_i8x16_u
                  i32x4.extend_high_i16x8_u
                  block (result f32) ;; label = @8
                    i64.const -2497794863878418192
                    i32.wrap_i64
                    call 1
                    v128.load8_splat 1 offset=7919
                    i64.const 18014398509481983
                    br 8
                    br 1 (;@7;)
                    i64.eqz
                    f32.convert_i32_s
                    v128.const i32x4 0xccad48b6 0x00c5e24d 0xee05f823 0x944a01ae
                    f64x2.neg
                    i32x4.trunc_sat_f64x2_s_zero
                    i32x4.extend_high_i16x8_u
                    f64x2.promote_low_f32x4
                    f64x2.promote_low_f32x4
                    f64x2.abs
                    i32x4.trunc_sat_f64x2_s_zero
                    f32x4.trunc
                    global.set 0
                    f64.promote_f32
                    i64.trunc_f64_s
                    f64.convert_i64_s
                    f64.neg
                    nop
                    f64.abs
                    v128.const i32x4 0x51323e3f 0x0a262183 0xc9cd9478 0x40885725
                    i16x8.all_true
                    ref.null func
                    call 4
                    memory.size
                    v128.load8x8_u 1 offset=50608 align=1
                    i32x4.extadd_pairwise_i16x8_u
                    i32.const 2143289344
                    i32x4.shr_u
                    f64x2.convert_low_i32x4_u
                    f32x4.extract_lane 3
                    br 8
                    block (type 0) ;; label = @9
                      global.get 0
                      i32x4.all_true
                      i32.load8_u 1 offset=8894
                      if ;; label = @10
                        loop (type 4) ;; label = @11
                          v128.const i32x4 0x54b44443 0x760e9ae7 0xdc8890ce 0xc1e30166
                          i8x16.extract_lane_u 14
                          return_call 4
                          i64.load32_u align=1
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
          end
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
