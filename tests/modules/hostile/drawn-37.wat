;; ?
;; Drawn by wasm-smith from seed 37 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func (param f64) (result f32 i64)))
  (type (;1;) (func))
  (type (;2;) (func (param i64)))
  (type (;3;) (func))
  (type (;4;) (func (param i32) (result externref)))
  (type (;5;) (func))
  (type (;6;) (func (param i32) (result i32)))
  (type (;7;) (func (param i32 i32) (result i64)))
  (type (;8;) (func (param i32 i32) (result i64)))
  (type (;9;) (func))
  (table (;0;) 0 funcref)
  (memory (;0;) 1 4)
  (global (;0;) (mut f32) f32.const 0x1.e7141cp+18 (;=498768.44;))
  (global (;1;) f32 f32.const -0x1.2ee902p-41 (;=-0.0000000000005380766;))
  (global (;2;) (mut i32) i32.const -1673923972 i32.const -155786304 i32.mul)
  (global (;3;) externref ref.null extern)
  (export "memory" (memory 0))
  (export "divvy_abi_v1" (func 0))
  (export "divvy_alloc" (func 1))
  (export "divvy_assign" (func 2))
  (export "divvy_user_data" (func 3))
  (export "_initialize" (func 4))
  (start 4)
  (elem (;0;) externref)
  (elem (;1;) externref (ref.null extern))
  (elem (;2;) declare externref)
  (func (;0;) (type 5)
    (local f64)
    loop (type 1) ;; label = @1
      f64.const 0x1.2be0882243657p-873 (;=0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000018600177529373373;)
      i64.reinterpret_f64
      i32.const 1609860864
      i64.load8_u offset=25788
      i64.rem_u
      br 1
      i64.extend32_s
      f32.convert_i64_u
      f32.floor
      f32x4.splat
      nop
      f32.const -0x1.fffffep+64 (;=-36893486000000000000;)
      f32.neg
      i64.trunc_f32_s
      memory.size
      v128.load32_zero offset=19536 align=1
      f32x4.neg
      f64x2.abs
      i16x8.bitmask
      f64.load offset=42393 align=4
      global.get 1
      i32.const 32767
      elem.drop 0
      i32.const 1024
      i32.const 65538
      i64.load16_u offset=13786
      i64.extend8_s
      loop ;; label = @2
      end
      f64.convert_i64_s
      f64.floor
      return_call 0
      i32.trunc_f64_s
      i32.load16_u offset=18993
      i64.load8_s offset=60174
      f32.convert_i64_u
      f32.store offset=28344 align=2
      i8x16.splat
      i16x8.extract_lane_s 5
      local.get 0
      i32.trunc_sat_f64_u
      return_call_indirect (type 5)
      i8x16.splat
      i8x16.abs
      table.size 0
      i32x4.shl
      ref.null func
      global.get 3
      elem.drop 1
      i64.const -1099511627777
      f32.const 0x1.34d256p-56 (;=0.000000000000000016741254;)
      i32.trunc_f32_u
      i32.load8_s offset=33744
      nop
      v128.load32_zero offset=17089
      f64x2.promote_low_f32x4
      f64x2.nearest
      f64x2.convert_low_i32x4_u
      i32x4.extract_lane 3
      i8x16.splat
      f64x2.convert_low_i32x4_s
      i32x4.neg
      global.get 3
      br 0 (;@1;)
      f32.const 0x1.020202p-125 (;=0.000000000000000000000000000000000000023694278;)
      br 0 (;@1;)
      call 0
      f32.sqrt
      i32.trunc_f32_u
      i32.load16_s offset=17540 align=1
      i32.popcnt
      i64.extend_i32_u
      i64.const -5041065078413768294
      local.get 0
      return_call 4
      f64.const 0x1.fffcp-1059 (;=0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000032378;)
      loop (type 1) ;; label = @2
        loop (type 5) ;; label = @3
          br 2 (;@1;)
          i32.const 524288
          elem.drop 0
          if (type 5) ;; label = @4
            v128.const i32x4 0xe69781e2 0xda6007f4 0xa85187f5 0x0d0f171f
            i32x4.extend_low_i16x8_u
            f32.const -0x1.f00bb4p+61 (;=-4467982600000000000;)
            f32.abs
            br 4
            i32.trunc_f32_s
            global.get 0
            i32.trunc_sat_f32_u
            i32.eq
            i32.ctz
            i32x4.shl
            return
            v128.const i32x4 0x3991f0b9 0x973a36de 0xb8e029d6 0x62f22626
            f64x2.min
            f64.const -0x1.0f8b8141519a4p+200 (;=-1704515220556624000000000000000000000000000000000000000000000;)
            i32.trunc_f64_s
            i32.const 872843875
            v128.load offset=35025 align=4
            i16x8.abs
            v128.store64_lane offset=57149 1
            f32x4.demote_f64x2_zero
            memory.size
            call 1
            i32.load8_s offset=53728
            v128.load64_zero offset=27103
            i32x4.max_s
            ref.null func
            memory.size
            global.set 2
            f32.const 0x1.fffffcp-127 (;=0.000000000000000000000000000000000000011754942;)
            block (result i64) ;; label = @5
              return_call 4
              call 0
              unreachable
              unreachable
            end
            unreachable
          end
        end
      end
      unreachable
    end
  )
  (func (;1;) (type 6) (param i32) (result i32)
    unreachable
  )
  (func (;2;) (type 7) (param i32 i32) (result i64)
    unreachable
  )
  (func (;3;) (type 8) (param i32 i32) (result i64)
    unreachable
  )
  (func (;4;) (type 9))
  (@custom "divvy.manifest" (after code) "{\22abi\22: \221.0\22, \22name\22: \22drawn\22}")
)
