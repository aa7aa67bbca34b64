;; ?
;; Drawn by wasm-smith from seed 17 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func (param funcref) (result i32)))
  (type (;1;) (func (param v128)))
  (type (;2;) (func))
  (type (;3;) (func))
  (type (;4;) (func (param i32) (result i32)))
  (type (;5;) (func (param i32 i32) (result i64)))
  (type (;6;) (func (param i32 i32) (result i64)))
  (type (;7;) (func))
  (memory (;0;) 0)
  (memory (;1;) 1 4)
  (export "memory" (memory 1))
  (export "divvy_abi_v1" (func 0))
  (export "divvy_alloc" (func 1))
  (export "divvy_assign" (func 2))
  (export "divvy_user_data" (func 3))
  (export "_initialize" (func 4))
  (func (;0;) (type 3)
    return_call 4
    return_call 0
    f64.const -0x1.e1ce9c7350807p-105 (;=-0.000000000000000000000000000000046396333633390177;)
    f64.abs
    call 0
    block (type 2) ;; label = @1
      block ;; label = @2
        br 1 (;@1;)
        block (result f64) ;; label = @3
          call 0
          i64.const -18014398509481984
          i64.eqz
          i32.load16_s 1 offset=12561 align=1
          f32.load
          i32.trunc_f32_u
          br_table 1 (;@2;) 2 (;@1;) 3 1 (;@2;)
          call 0
          i64.const 33554431
          call 0
          f64.const 0x1.eb26cb7d6f5a1p+584 (;=121476708193302640000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000;)
          i64.reinterpret_f64
          f64.const 0x1.fffffffffffp-1030 (;=0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000017383389519587;)
          i32.trunc_f64_s
          i32.extend8_s
          i64.load8_s 1 offset=59369
          nop
          ref.null func
          data.drop 0
          call 4
          data.drop 0
          nop
          nop
          block (type 2) ;; label = @4
            return_call 4
            call 0
            call 4
            nop
            return_call 4
            ref.null extern
            call 0
            memory.size 1
            i64.extend_i32_s
            i64x2.splat
            i32x4.trunc_sat_f64x2_u_zero
            i16x8.extadd_pairwise_i8x16_u
            f32x4.neg
            i32x4.extend_low_i16x8_s
            i64x2.extend_high_i32x4_u
            i64x2.abs
            i64x2.extend_low_i32x4_u
            i32x4.extract_lane 2
            i64.load32_s
            br 4
            f64.const 0x1.p-1052 (;=0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020722615;)
            i32.trunc_sat_f64_u
            i64.extend_i32_s
            i64.ge_u
            v128.load64_zero 1 offset=22115 align=2
            i32x4.trunc_sat_f32x4_u
            i16x8.extend_low_i8x16_s
            i8x16.extract_lane_s 4
            v128.load64_splat 1 offset=60142 align=4
            i8x16.neg
            f32.const 0x1.575312p+80 (;=1621304100000000000000000;)
            i64.trunc_f32_s
            return_call 0
            i32.wrap_i64
            i64.load16_s 1 offset=467 align=1
            f64.reinterpret_i64
            i64.trunc_f64_u
            return_call 0
            f64.convert_i64_u
            f32.demote_f64
            f32.const -0x1.fffffep+126 (;=-170141170000000000000000000000000000000;)
            f32.max
            i64.trunc_f32_u
            i64.ctz
            i64.const -4398046511104
            i64.ge_u
            f32.load 1 offset=62702
            i32.trunc_sat_f32_u
            f64.convert_i32_u
            f64.sqrt
            i64.reinterpret_f64
            i32.wrap_i64
            v128.load32x2_u 1 offset=22752 align=2
            f64.const 0x1.p-1054 (;=0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000005180654;)
            i64.trunc_sat_f64_s
            i32.wrap_i64
            br_if 2 (;@2;)
            i8x16.lt_u
            f32x4.demote_f64x2_zero
            f32x4.extract_lane 2
            f64.const 0x1.e8e42e0d27ecap-186 (;=0.000000000000000000000000000000000000000000000000000000019471220489081984;)
            data.drop 0
            i64.trunc_sat_f64_u
            i32.const 1379985620
            f32.reinterpret_i32
            i64.trunc_f32_u
            i64.eqz
            if (type 3) ;; label = @5
              block (type 2) ;; label = @6
                br 2 (;@4;)
                memory.size
                i32.extend16_s
                i64.extend_i32_s
                br 1 (;@5;)
                f64.reinterpret_i64
                f64.floor
                i32.trunc_sat_f64_u
                v128.load8x8_s offset=1221474900 align=1
                i32x4.trunc_sat_f32x4_s
                f64x2.sqrt
                i8x16.all_true
                i64.extend_i32_s
                i32.const -262144
                v128.load64_zero
                f64x2.neg
                i32x4.extract_lane 2
                i32.eqz
                i64.load32_u
                i64.extend16_s
                i64.eqz
                v128.load64_splat
                v128.const i32x4 0x7fabd9f1 0x0c9ff1ab 0x0e72554c 0x908f9725
                f32x4.min
                i32x4.trunc_sat_f32x4_s
                v128.not
                i8x16.bitmask
                f32.convert_i32_u
                f32.trunc
                i64.const -5048334847663705169
                f64.convert_i64_s
                ref.null extern
                loop (type 7) ;; label = @7
                  i64.const 2147483648
                  ref.null func
                  v128.const i32x4 0xc4dcc968 0xcd015429 0xe7f803b2 0x289185b3
                  i64.const 14853615
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
    end
    unreachable
  )
  (func (;1;) (type 4) (param i32) (result i32)
    unreachable
  )
  (func (;2;) (type 5) (param i32 i32) (result i64)
    unreachable
  )
  (func (;3;) (type 6) (param i32 i32) (result i64)
    unreachable
  )
  (func (;4;) (type 7))
  (data (;0;) (i32.const 1679190788) "^")
  (@custom "divvy.manifest" (after data) "{\22abi\22: \221.0\22, \22name\22: \22drawn\22}")
)
