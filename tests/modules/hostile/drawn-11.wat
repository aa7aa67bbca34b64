;; ?
;; Drawn by wasm-smith from seed 11 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func))
  (type (;1;) (func (param v128 f32 i64 f32)))
  (type (;2;) (func))
  (type (;3;) (func (param i32) (result i32)))
  (type (;4;) (func (param i32 i32) (result i64)))
  (type (;5;) (func (param i32 i32) (result i64)))
  (type (;6;) (func))
  (memory (;0;) 1 4)
  (global (;0;) (mut i32) i32.const 778213671)
  (global (;1;) (mut v128) v128.const i32x4 0x0f1a7504 0x580e2a4a 0xc9e17ab0 0x9f648d4b)
  (global (;2;) (mut v128) v128.const i32x4 0x00000000 0x00000000 0x00000000 0x00000000)
  (global (;3;) (mut i64) i64.const 0)
  (global (;4;) (mut i32) i32.const 0)
  (global (;5;) (mut i64) i64.const 0)
  (export "memory" (memory 0))
  (export "divvy_abi_v1" (func 2))
  (export "divvy_alloc" (func 3))
  (export "divvy_assign" (func 4))
  (export "divvy_user_data" (func 5))
  (export "_initialize" (func 6))
  (func (;0;) (type 0)
    (local externref)
    v128.const i32x4 0x2b783b1a 0x062a5729 0x98db4db2 0xaf60f50c
    i64x2.extend_high_i32x4_u
    f32x4.floor
    f64x2.convert_low_i32x4_s
    f32x4.demote_f64x2_zero
    i64x2.extract_lane 1
    i64.popcnt
    i64.eqz
    f32.convert_i32_u
    i64.trunc_f32_s
    local.get 0
    local.tee 0
    global.get 1
    i32x4.trunc_sat_f64x2_s_zero
    i64x2.bitmask
    global.set 0
    i64.const -7714960496177870217
    call 6
    loop (type 0) ;; label = @1
      f32.const -nan:0x7effff (;=NaN;)
      i64.trunc_f32_s
      f64.reinterpret_i64
      global.get 0
      memory.size
      v128.const i32x4 0x1c57a4cd 0xc4e5c25c 0xe56fdc75 0xaf3e74ab
      v128.load16_lane offset=21863 align=1 6
      f32x4.convert_i32x4_s
      f64x2.sqrt
      i16x8.abs
      i32x4.abs
      i64x2.extend_low_i32x4_s
      data.drop 0
      f64x2.extract_lane 0
      f64.ceil
      memory.size
      i32x4.splat
      i32x4.trunc_sat_f32x4_u
      global.get 2
      v128.xor
      global.set 2
      i64.reinterpret_f64
      global.get 3
      i64.xor
      global.set 3
      global.get 4
      i32.xor
      global.set 4
      i64.reinterpret_f64
      global.get 3
      i64.xor
      global.set 3
    end
    global.get 5
    i64.xor
    global.set 5
    drop
    global.get 5
    i64.xor
    global.set 5
  )
  (func (;1;) (type 0)
    (local i32 f64 i32)
    call 1
    global.get 0
    i16x8.splat
    i32x4.extend_high_i16x8_u
    f64x2.convert_low_i32x4_s
    f32x4.neg
    v128.not
    i16x8.extend_low_i8x16_s
    f64x2.trunc
    i16x8.extadd_pairwise_i8x16_u
    i32x4.abs
    f64x2.sqrt
    f32x4.demote_f64x2_zero
    f64x2.ceil
    i32x4.abs
    i64.const 70368744177664
    f64.convert_i64_u
    block (type 2) ;; label = @1
      local.get 1
      f32.demote_f64
      local.get 0
      i64.load8_s offset=14065
      v128.const i32x4 0x5b3e41a1 0x3386a621 0xf673615c 0x0b024271
      i8x16.neg
      f64x2.extract_lane 1
      data.drop 0
      v128.const i32x4 0x71c6f2ea 0xcbca8fc2 0xf6ec4fe3 0x3b4502aa
      i64x2.extract_lane 1
      f32.const -0x1.fdfdfcp+126 (;=-169473950000000000000000000000000000000;)
      f32.neg
      i64.trunc_f32_u
      i64.extend16_s
      global.get 0
      i32.popcnt
      i64.load8_s offset=24224
      return_call 1
      i64.gt_u
      v128.load32_splat offset=46234
      f32.const -0x1.e6e896p-53 (;=-0.00000000000000021116292;)
      call 0
      loop (result v128) ;; label = @2
        f32.const 0x1.91febap+84 (;=30373885000000000000000000;)
        global.get 0
        memory.grow
        v128.load8_splat offset=15187
        i16x8.all_true
        ref.null extern
        return_call 0
        br 1 (;@1;)
        i64.const 5565799464506589209
        memory.size
        i64.const 68719476736
        br 2
        i64.extend16_s
        i64.extend16_s
        i64.extend32_s
        data.drop 0
        f64.convert_i64_s
        call 1
        f64.abs
        call 1
        global.get 0
        i32.extend8_s
        i64.load32_u offset=65231
        loop ;; label = @3
          call 1
          data.drop 0
          nop
        end
        f32.const 0x1p-125 (;=0.000000000000000000000000000000000000023509887;)
        f32.floor
        memory.size
        i64.const 576460752303423487
        ref.null func
        loop (type 6) ;; label = @3
          br 3
          local.get 0
          v128.load32x2_s offset=58505
          i16x8.bitmask
          v128.load8x8_s offset=46933
          local.get 0
          i32.eqz
          i8x16.replace_lane 3
          f32x4.convert_i32x4_s
          i32.const -1047046323
          i32x4.replace_lane 1
          i16x8.all_true
          loop (type 3) (param i32) (result i32) ;; label = @4
            f64.load offset=20317
            f64.trunc
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
  (func (;2;) (type 2))
  (func (;3;) (type 3) (param i32) (result i32)
    unreachable
  )
  (func (;4;) (type 4) (param i32 i32) (result i64)
    unreachable
  )
  (func (;5;) (type 5) (param i32 i32) (result i64)
    unreachable
  )
  (func (;6;) (type 6))
  (data (;0;) "\19")
  (@custom "divvy.manifest" (after data) "{\22abi\22: \221.0\22, \22name\22: \22drawn\22}")
)
