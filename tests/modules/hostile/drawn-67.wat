;; call memory: divvy_alloc wanted more than its 64 MiB of memory (wasm trap: integer divide by zero)
;; Drawn by wasm-smith from seed 67 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func))
  (type (;1;) (func (param i32) (result i32)))
  (type (;2;) (func (param i32 i32) (result i64)))
  (type (;3;) (func (param i32 i32) (result i64)))
  (type (;4;) (func))
  (table (;0;) 1009 152868 funcref)
  (memory (;0;) 1 4)
  (global (;0;) (mut v128) v128.const i32x4 0x00000000 0x00000000 0x00000000 0x00000000)
  (global (;1;) (mut i64) i64.const 0)
  (export "memory" (memory 0))
  (export "divvy_abi_v1" (func 0))
  (export "divvy_alloc" (func 1))
  (export "divvy_assign" (func 2))
  (export "divvy_user_data" (func 3))
  (export "_initialize" (func 4))
  (elem (;0;) (table 0) (i32.const 0) func)
  (elem (;1;) func 1)
  (elem (;2;) func)
  (elem (;3;) (i32.const 4) func 2)
  (func (;0;) (type 0)
    br 0
    elem.drop 2
    elem.drop 1
    br 0
    call 4
    v128.const i32x4 0xe1c259e6 0xce0f9a7d 0xf11d3334 0xdc951e5c
    i8x16.bitmask
    f64.load offset=19688 align=2
    elem.drop 2
    i64.trunc_sat_f64_u
    nop
    i32.const 16843009
    if ;; label = @1
      br 1
      elem.drop 3
    else
      v128.const i32x4 0x8d837406 0x60e63dbb 0xd2656d2e 0x36d42515
      i64x2.extend_high_i32x4_s
      global.get 0
      v128.xor
      global.set 0
    end
    global.get 1
    i64.xor
    global.set 1
  )
  (func (;1;) (type 1) (param i32) (result i32)
    call 4
    memory.size
    v128.load16x4_s offset=52693 align=1
    i16x8.extadd_pairwise_i8x16_s
    v128.const i32x4 0x55ee9927 0xc0f8395d 0xa0c538eb 0x8391e20f
    i8x16.all_true
    i32x4.splat
    i16x8.le_u
    f32x4.floor
    i32x4.trunc_sat_f64x2_u_zero
    i16x8.abs
    f64x2.promote_low_f32x4
    i32x4.trunc_sat_f64x2_u_zero
    i64x2.extract_lane 0
    i32.const 4194304
    f64.convert_i32_s
    loop (type 0) ;; label = @1
      f32.const -0x1.555554p-42 (;=-0.00000000000030316488;)
      i32.trunc_f32_s
      br_if 0 (;@1;)
      f64.const 0x1.69258ac01409dp-334 (;=0.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000403111392127311;)
      f32.demote_f64
      i32.trunc_f32_u
      br_if 0 (;@1;)
      i32.const 65532
      i64.const -2781440617300214042
      i32.const 152868
      memory.grow
      memory.grow
      f64.const 0x1.e969fe98a820cp-669 (;=0.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000007804936254821628;)
      v128.const i32x4 0x81203748 0x778fee3f 0x47f6eb92 0x6b03cc28
      i32x4.trunc_sat_f32x4_u
      f64x2.promote_low_f32x4
      i32x4.trunc_sat_f32x4_u
      i32x4.extract_lane 0
      i64.load16_s offset=3103 align=1
      f64.reinterpret_i64
      f64.sub
      i32.trunc_sat_f64_s
      f64.convert_i32_u
      i64.const -6801511003347559733
      i64.extend32_s
      local.get 0
      v128.load offset=38651 align=1
      i16x8.bitmask
      i32.extend8_s
      if (type 0) ;; label = @2
        call 0
      end
      f64.convert_i64_u
      f64.ne
      f32.const 0x1.p-137 (;=0.00000000000000000000000000000000000000000574;)
      f32.nearest
      i32.reinterpret_f32
      i32.div_s
      memory.size
      i32.eq
      i32.div_u
      loop (result i64) ;; label = @2
        elem.drop 3
        call 4
        memory.size
        v128.load offset=19947 align=8
        f32x4.demote_f64x2_zero
        i16x8.extadd_pairwise_i8x16_u
        i32x4.extract_lane 0
        block (type 0) ;; label = @3
          elem.drop 1
          local.get 0
          i32.extend16_s
          br_if 2 (;@1;)
          local.get 0
          f64.load offset=51003 align=4
          f64.neg
          f64.neg
          f64x2.splat
          i64x2.bitmask
          call 4
          i64.load8_s offset=1521
          i64.extend16_s
          f64.convert_i64_s
          br 0 (;@3;)
          i32.trunc_f64_u
          i8x16.splat
          i32x4.trunc_sat_f64x2_u_zero
          i32x4.trunc_sat_f32x4_s
          f64x2.abs
          call 0
          f32x4.convert_i32x4_u
          i16x8.abs
          i64.const 1099511627775
          i64.ctz
          f32.const 0x1.ea51dap+30 (;=2056550000;)
          br 0 (;@3;)
          i64.trunc_sat_f32_u
          v128.const i32x4 0x0cc9c8c0 0x4008983f 0xd21c6e6d 0x5cfdb7c9
          i64x2.neg
          i32x4.extadd_pairwise_i16x8_s
          i32x4.extract_lane 0
          i16x8.splat
          i8x16.neg
          i64x2.all_true
          i32.popcnt
          i32.load16_s offset=38817 align=1
          i32.load8_s offset=9117
          i8x16.splat
          f64x2.sqrt
          i32x4.extend_low_i16x8_s
          v128.const i32x4 0x88ac313a 0x0b484f50 0x56d904f4 0x75c02486
          f64x2.convert_low_i32x4_u
          unreachable
          unreachable
        end
        unreachable
      end
      unreachable
    end
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
