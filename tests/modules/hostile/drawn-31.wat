;; call stack: its start nested its calls too deep
;; Drawn by wasm-smith from seed 31 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func))
  (type (;1;) (func (param i32) (result i32)))
  (type (;2;) (func (param i32 i32) (result i64)))
  (type (;3;) (func (param i32 i32) (result i64)))
  (type (;4;) (func))
  (table (;0;) 18 172351 funcref)
  (memory (;0;) 1 4)
  (global (;0;) (mut f32) f32.const -0x1.ab79a8p+42 (;=-7343968400000;))
  (export "memory" (memory 0))
  (export "divvy_abi_v1" (func 0))
  (export "divvy_alloc" (func 1))
  (export "divvy_assign" (func 2))
  (export "divvy_user_data" (func 3))
  (export "_initialize" (func 4))
  (start 0)
  (func (;0;) (type 0)
    loop (result f32) ;; label = @1
      global.get 0
      call 0
      br 1
      memory.size
      br 1
      v128.load16x4_u offset=24298
      f64x2.convert_low_i32x4_s
      f32x4.sqrt
      f32x4.nearest
      i32.const 1778640807
      i32x4.shr_s
      f64x2.sqrt
      i16x8.extend_high_i8x16_s
      global.get 0
      f32.floor
      f64.const -0x1.926e9708a71a6p-169 (;=-0.0000000000000000000000000000000000000000000000000021007930208554376;)
      i32.const -286331154
      i32.load offset=11138
      i32.load offset=13654
      i32.load16_s offset=47780
      call_indirect (type 0)
      block (type 0) ;; label = @2
        br 1 (;@1;)
        call 0
        i64.const 4321567530732012862
        f64.const 0x1.ffep-1063 (;=0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002023;)
        i64.trunc_sat_f64_s
        i64.eq
        f64.load offset=24723 align=4
        call 0
        i32.const 4
        i64.load32_u offset=17081
        f64.convert_i64_s
        f64.ceil
        memory.size
        memory.size
        i32.store16 offset=64201 align=1
        f64.ge
        call 0
        global.get 0
        nop
        i64.trunc_f32_s
        i64.store32 offset=29191 align=2
        block (type 4) ;; label = @3
          memory.size
          v128.load16x4_u offset=2597 align=1
          i32x4.trunc_sat_f32x4_s
          i32.const -89343495
          global.get 0
          i64.trunc_sat_f32_s
          i64x2.splat
          i32x4.abs
          i16x8.extend_high_i8x16_u
          i64x2.extend_high_i32x4_s
          i32x4.trunc_sat_f64x2_s_zero
          f32x4.demote_f64x2_zero
          v128.load16_lane offset=60697 4
          f64x2.sqrt
          i8x16.ge_u
          i16x8.extadd_pairwise_i8x16_u
          f64x2.ceil
          block (type 0) ;; label = @4
            call 0
            call 0
            memory.size
            i32.load8_s offset=21507
            i64.extend_i32_s
            i64.extend8_s
            f64.convert_i64_u
            br 1 (;@3;)
            block ;; label = @5
              i32.const -65536
              nop
              global.get 0
              i32.trunc_sat_f32_u
              return_call_indirect (type 0)
              i64.load32_u offset=47487
              i64.const -536870912
              i64.add
              f64.reinterpret_i64
              memory.size
              i32.popcnt
              data.drop 4
              f32.const 0x1.00008p-131 (;=0.000000000000000000000000000000000000000367345;)
              data.drop 1
              f32.neg
              i32.const 8
              v128.load8x8_u offset=13378 align=1
              call 4
              i16x8.all_true
              i64.load32_s offset=56696 align=1
              i64.extend16_s
              f64.convert_i64_u
              f64x2.splat
              f64x2.convert_low_i32x4_s
              i16x8.extend_high_i8x16_u
              i32x4.extract_lane 2
              i64.load8_u offset=22597
              global.get 0
              i64.trunc_sat_f32_s
              f32.convert_i64_s
              call 0
              global.get 0
              f32.gt
              f32.const 0x1.c4454ep+74 (;=33371690000000000000000;)
              f32.abs
              br 4 (;@1;)
              f32.nearest
              f32.store offset=43196
              block (type 0) ;; label = @6
                call 0
                block (type 4) ;; label = @7
                  f64.const 0x1.50ap-1057 (;=0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000085153;)
                  i32.trunc_f64_u
                  block (type 0) ;; label = @8
                    f32.const 0x1.p-138 (;=0.00000000000000000000000000000000000000000287;)
                    block (type 0) ;; label = @9
                      global.get 0
                      i32.reinterpret_f32
                      v128.load32x2_u offset=4350
                      i16x8.extend_low_i8x16_s
                      i32x4.extend_high_i16x8_s
                      i16x8.extract_lane_s 7
                      v128.load16x4_s offset=62078 align=4
                      f64x2.floor
                      f32.const -0x1.06be5ap-68 (;=-0.000000000000000000003477382;)
                      i32.trunc_f32_s
                      v128.load8_splat offset=49090
                      i8x16.all_true
                      i8x16.shl
                      f32.const 0x1.f8p-144 (;=0.000000000000000000000000000000000000000000088;)
                      global.set 0
                      f32x4.demote_f64x2_zero
                      i8x16.neg
                      i32x4.extadd_pairwise_i16x8_s
                      br 2 (;@7;)
                      f64x2.sqrt
                      f32x4.ceil
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
  (data (;0;) (i32.const 7291) "m$")
  (data (;1;) (i32.const 2955) "")
  (data (;2;) "jI")
  (data (;3;) "")
  (data (;4;) "")
  (@custom "divvy.manifest" (after data) "{\22abi\22: \221.0\22, \22name\22: \22drawn\22}")
)
