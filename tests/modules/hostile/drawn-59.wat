;; call trap: divvy_alloc stopped with wasm trap: wasm `unreachable` instruction executed
;; Drawn by wasm-smith from seed 59 of 700 bytes (tests/fuzz/examples/modules.rs).
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
  (start 4)
  (elem (;0;) func)
  (func (;0;) (type 0)
    i64.const 262146
    loop ;; label = @1
      v128.const i32x4 0x0e7a680f 0x40a35d7c 0x39faa31c 0x9cc62d70
      v128.not
      i32x4.extadd_pairwise_i16x8_u
      i32x4.extadd_pairwise_i16x8_s
      f32x4.convert_i32x4_s
      i32x4.extract_lane 0
      v128.load offset=53674 align=8
      i16x8.extract_lane_s 2
      call 4
      call 4
      i64.load16_s offset=24771 align=1
      return_call 4
      i32.wrap_i64
      v128.load32_zero offset=30012 align=2
      i16x8.bitmask
      i32.load offset=6681 align=2
      i64.load16_u offset=25631
      i64.clz
      return_call 4
      i64.extend8_s
      f32.const 0x1.9d1cfep+23 (;=13536895;)
      f32x4.splat
      i32x4.neg
      f64x2.nearest
      i32x4.trunc_sat_f32x4_u
      i16x8.extract_lane_u 7
      i64.load8_s offset=44021
      i64.ne
      v128.load8x8_s offset=126044 align=2
      f64x2.convert_low_i32x4_s
      i32x4.trunc_sat_f64x2_u_zero
      memory.size
      v128.load8x8_s offset=62375 align=4
      i32x4.min_s
      i32x4.extend_high_i16x8_u
      return_call 4
      elem.drop 0
      i32.const 255
      i64x2.shr_s
      i8x16.extract_lane_s 4
      f32.convert_i32_u
      i64.trunc_f32_u
      br 0 (;@1;)
      i32.wrap_i64
      v128.load32_zero offset=17683 align=1
      f32x4.extract_lane 2
      br 0 (;@1;)
      i32.trunc_sat_f32_u
      v128.load32_zero offset=57899 align=2
      v128.const i32x4 0xdd5d246e 0x94909b27 0x6e2aed77 0x024786ee
      i8x16.neg
      i32x4.le_s
      f64x2.trunc
      i64x2.extract_lane 0
      i64.const 8089952715784922220
      i64.shl
      f64.const -0x1.c4ddb857a4fbfp-218 (;=-0.000000000000000000000000000000000000000000000000000000000000000004199434254102215;)
      f64x2.splat
      call 0
      f64x2.convert_low_i32x4_u
      i64x2.neg
      i32x4.bitmask
      i32.clz
      i32.load offset=26205
      i32.clz
      i32.popcnt
      i32.load8_s offset=15089
      i64.load16_s offset=57317
      i64.gt_u
      loop (result i32) ;; label = @2
        i64.const -4222583834632459430
        i64.eqz
        i64.load8_u offset=58633
        f32.const 0x1.fffff8p-128 (;=0.00000000000000000000000000000000000000587747;)
        v128.const i32x4 0x5776f625 0xe49ece58 0x6ea83918 0x6cf96424
        i32x4.bitmask
        memory.size
        i32.or
        i32.eqz
        br 1 (;@1;)
        memory.size
        i32.and
        v128.load offset=15347 align=1
        loop ;; label = @3
          v128.const i32x4 0x32d19d25 0xd615e1e4 0x278a08ce 0x11730fca
          call 4
          f32x4.sqrt
          i64x2.all_true
          i32.clz
          i64.load32_s offset=50658 align=1
          memory.size
          i32.load16_s offset=26343 align=1
          br 3
          memory.size
          i32.clz
          f32.convert_i32_s
          i32.trunc_sat_f32_u
          i32.div_s
          if (result f32) ;; label = @4
            i64.const -8796093022209
            elem.drop 0
            f64.convert_i64_u
            loop (type 4) ;; label = @5
              v128.const i32x4 0x78b705bf 0xc9bce114 0x93e7d495 0x1d9c8501
              i32x4.trunc_sat_f32x4_u
              br 2 (;@3;)
              f32.const -0x1.7194f4p-49 (;=-0.0000000000000025644892;)
              br 5
              i32.trunc_sat_f32_u
              i32.eqz
              i64x2.shl
              i8x16.all_true
              v128.load16_splat offset=1012
              i64.const -3095166259040789767
              loop (type 4) ;; label = @6
                br 3 (;@3;)
                i64.const -7185354533760007267
                f32.const 0x1.p-142 (;=0.00000000000000000000000000000000000000000018;)
                return_call 4
                f64.promote_f32
                memory.size
                br_if 0 (;@6;)
                f64.sqrt
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
