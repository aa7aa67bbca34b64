;; call deadline: divvy_alloc ran longer than its 30 ms
;; Drawn by wasm-smith from seed 71 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func (result f64 f32 f64)))
  (type (;1;) (func))
  (type (;2;) (func (param i32) (result i32)))
  (type (;3;) (func (param i32 i32) (result i64)))
  (type (;4;) (func (param i32 i32) (result i64)))
  (type (;5;) (func))
  (memory (;0;) 1 4)
  (global (;0;) f64 f64.const -0x1.3b74f09a42ffbp-480 (;=-0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000394731699463148;))
  (global (;1;) (mut i64) i64.const 0)
  (global (;2;) (mut i64) i64.const 0)
  (global (;3;) (mut v128) v128.const i32x4 0x00000000 0x00000000 0x00000000 0x00000000)
  (global (;4;) (mut i32) i32.const 0)
  (export "memory" (memory 0))
  (export "divvy_abi_v1" (func 0))
  (export "divvy_alloc" (func 1))
  (export "divvy_assign" (func 2))
  (export "divvy_user_data" (func 3))
  (export "_initialize" (func 4))
  (func (;0;) (type 1)
    (local f32 f32 i64)
    v128.const i32x4 0x2c0b4c9e 0x974ecb3f 0xa310398b 0x5af9d2b8
    i32x4.extadd_pairwise_i16x8_s
    f64x2.convert_low_i32x4_u
    f64x2.floor
    memory.size
    i8x16.replace_lane 11
    i32x4.trunc_sat_f64x2_s_zero
    local.get 0
    f32x4.replace_lane 3
    i16x8.extend_high_i8x16_u
    i16x8.extend_low_i8x16_s
    f32x4.nearest
    i32x4.extend_low_i16x8_u
    i64x2.extract_lane 0
    i64.popcnt
    return_call 4
    i64.extend16_s
    local.set 2
    call 4
    memory.size
    i32.eqz
    i64.load8_u offset=17425
    i64.extend16_s
    i64.extend8_s
    block (type 5) ;; label = @1
      i32.const -2147483648
      i32.clz
      f32.reinterpret_i32
      return_call 4
      call 4
      f32x4.splat
      f64x2.sqrt
      f64x2.extract_lane 1
      return_call 4
      i64.trunc_f64_s
      loop (type 0) (result f64 f32 f64) ;; label = @2
        i64.const 2206830209351021888
        local.get 1
        i64.trunc_sat_f32_s
        f32.convert_i64_u
        data.drop 0
        f32.nearest
        i32.trunc_f32_u
        v128.load64_splat offset=18506 align=4
        f64x2.convert_low_i32x4_s
        i64x2.extend_high_i32x4_u
        i32x4.abs
        f64.const -0x1.e5c3027c1edbap+443 (;=-43099420840639473000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000;)
        return_call 0
        f64.nearest
        i64.const -4346563509304997393
        i64.extend32_s
        i64.popcnt
        f32.convert_i64_u
        f32.abs
        i64.trunc_f32_s
        f32.convert_i64_s
        i64.trunc_sat_f32_u
        f64.reinterpret_i64
        f64.lt
        i64.load8_s offset=4443
        global.get 0
        f32.const -0x1.1b97f6p-126 (;=-0.00000000000000000000000000000000000001302198;)
        f32.trunc
        i64.trunc_f32_s
        memory.size
        i64.load32_u offset=62486 align=1
        local.get 2
        global.get 1
        i64.xor
        global.set 1
        global.get 1
        i64.xor
        global.set 1
        global.get 1
        i64.xor
        global.set 1
        i64.reinterpret_f64
        global.get 2
        i64.xor
        global.set 2
        global.get 1
        i64.xor
        global.set 1
        global.get 3
        v128.xor
        global.set 3
        global.get 1
        i64.xor
        global.set 1
        f64.const -nan:0xeffffffffffff (;=NaN;)
        f32.const 0x1.ffffcp-131 (;=0.000000000000000000000000000000000000000734683;)
        f64.const -0x1.b10c2f214eac2p-605 (;=-0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001273937987882246;)
      end
      i64.reinterpret_f64
      global.get 2
      i64.xor
      global.set 2
      i32.reinterpret_f32
      global.get 4
      i32.xor
      global.set 4
      i64.reinterpret_f64
      global.get 2
      i64.xor
      global.set 2
      global.get 1
      i64.xor
      global.set 1
    end
    global.get 1
    i64.xor
    global.set 1
  )
  (func (;1;) (type 2) (param i32) (result i32)
    global.get 0
    i64.trunc_f64_u
    memory.size
    i32.load offset=31009 align=2
    i32.extend8_s
    i32.load offset=27347 align=2
    call 4
    f64.convert_i32_s
    i64.trunc_sat_f64_u
    i64.le_u
    i64.load8_u offset=39958
    f32.convert_i64_u
    f64.promote_f32
    f64.trunc
    global.get 0
    f64.abs
    f64.ceil
    f64.gt
    i64.load16_u offset=28484 align=1
    f64.convert_i64_u
    i64.const 2305843009213693951
    loop ;; label = @1
      global.get 0
      call 0
      br 0 (;@1;)
      f64.const 0x1.8f78e5268e7fap-676 (;=0.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000049770221987811314;)
      global.get 0
      f64.sub
      f64.ge
      i32.const 262146
      v128.load16x4_s offset=47998 align=4
      i8x16.all_true
      v128.load64_zero offset=4498 align=4
      v128.store32_lane offset=60271 0
      loop (type 5) ;; label = @2
        local.get 0
        i64.load32_u offset=30968 align=1
        f64.reinterpret_i64
        loop (result i32) ;; label = @3
          br 2 (;@1;)
          call 0
          memory.size
          v128.load32_splat offset=22208 align=2
          f64x2.promote_low_f32x4
          i16x8.extadd_pairwise_i8x16_u
          data.drop 0
          i16x8.extadd_pairwise_i8x16_u
          f32x4.convert_i32x4_s
          i32x4.trunc_sat_f64x2_s_zero
          i64x2.abs
          f32x4.trunc
          i32x4.extend_high_i16x8_s
          f64x2.convert_low_i32x4_u
          i32x4.extend_high_i16x8_u
          i8x16.popcnt
          i64x2.neg
          i32x4.extend_high_i16x8_s
          i8x16.neg
          i32x4.trunc_sat_f32x4_u
          f32x4.ceil
          i16x8.extend_low_i8x16_u
          block ;; label = @4
            global.get 0
            data.drop 0
            i32.trunc_f64_s
            i64.extend_i32_s
            data.drop 0
            local.get 0
            i64.const 2271587417422542196
            global.get 0
            data.drop 0
            f64.nearest
            nop
            unreachable
          end
          unreachable
        end
        unreachable
      end
    end
    unreachable
  )
  (func (;2;) (type 3) (param i32 i32) (result i64)
    unreachable
  )
  (func (;3;) (type 4) (param i32 i32) (result i64)
    unreachable
  )
  (func (;4;) (type 5))
  (data (;0;) (i32.const 3831) "")
  (@custom "divvy.manifest" (after data) "{\22abi\22: \221.0\22, \22name\22: \22drawn\22}")
)
