;; call trap: divvy_alloc stopped with wasm trap: wasm `unreachable` instruction executed
;; Drawn by wasm-smith from seed 11 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func))
  (type (;1;) (func (param i32 i32 v128 f32)))
  (type (;2;) (func))
  (type (;3;) (func (param i32) (result i32)))
  (type (;4;) (func (param i32 i32) (result i64)))
  (type (;5;) (func (param i32 i32) (result i64)))
  (type (;6;) (func))
  (memory (;0;) 1 4)
  (export "memory" (memory 0))
  (export "divvy_abi_v1" (func 2))
  (export "divvy_alloc" (func 3))
  (export "divvy_assign" (func 4))
  (export "divvy_user_data" (func 5))
  (export "_initialize" (func 6))
  (start 0)
  (elem (;0;) func 6)
  (func (;0;) (type 0)
    (local i64 v128)
    i32.const -1924412959
    f32.reinterpret_i32
    data.drop 0
    memory.size
    v128.load16x4_s offset=44000 align=4
    i32x4.trunc_sat_f32x4_s
    f32x4.convert_i32x4_s
    i32x4.trunc_sat_f64x2_u_zero
    i8x16.abs
    i32x4.trunc_sat_f32x4_u
    v128.const i32x4 0xd7eabd0c 0x4b4114ef 0xf682128a 0x43e96532
    f32x4.nearest
    local.get 1
    v128.xor
    i8x16.extract_lane_u 9
    i32.eqz
    i32x4.shl
    i32x4.abs
    br 0
    f64.const 0x1.p-1043 (;=0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000010609978955;)
    return_call 0
    f64.neg
    memory.size
    f64.const 0x1.fffffcp-1052 (;=0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000041445225;)
    i64.trunc_f64_s
    f64.reinterpret_i64
    i64.reinterpret_f64
    f64.convert_i64_s
    f64.sqrt
    f64.sqrt
    f64.store offset=181289 align=1
    i32.trunc_sat_f64_s
    i16x8.splat
    i32x4.max_u
    i32x4.extadd_pairwise_i16x8_u
    i32x4.trunc_sat_f32x4_s
    v128.const i32x4 0x19499cd6 0xc0071adc 0x7c142a2d 0xda93b5bf
    i64x2.bitmask
    i32.load16_s offset=43095 align=1
    i32.load16_u offset=65530 align=1
    i32.load8_s offset=13004
    i64x2.shr_u
    i16x8.extadd_pairwise_i8x16_u
    i32.const -681926569
    return_call 2
    i64.const -4295810965350457715
    f32.convert_i64_u
    f32.neg
    memory.size
    i32.load8_s offset=37617
    br_if 0
    f32.trunc
    i64.const 4611686018427387903
    local.tee 0
    i64.extend8_s
    v128.const i32x4 0xca75551a 0xb70257d1 0x7a5bfa3a 0x98f4b552
    f32x4.trunc
    memory.size
    v128.load16x4_u offset=41135 align=4
    i64x2.extmul_high_i32x4_s
    i32x4.all_true
    f32.const 0x1.89b816p-9 (;=0.0030038382;)
    f32.floor
    i32.trunc_sat_f32_u
    f64.load offset=60048 align=4
    f64.floor
    f64.nearest
    i32.trunc_sat_f64_u
    i32.shr_u
    v128.load16_splat offset=51204
    i8x16.neg
    i64x2.abs
    i32x4.extend_high_i16x8_u
    return
    i8x16.bitmask
    v128.load16x4_s offset=24224 align=1
    block (type 0) ;; label = @1
      br 0 (;@1;)
      f64.const -nan:0xfffffffffff80 (;=NaN;)
      f64.trunc
      f64.sqrt
      i64.const 7964617925403839549
      local.tee 0
      return_call 1
      data.drop 0
      i32.wrap_i64
      f32.reinterpret_i32
      br 1
      i64.trunc_sat_f32_s
      f64.convert_i64_s
      data.drop 0
      i32.const -1501148786
      i32.load offset=32992 align=2
      v128.load offset=7785 align=4
      local.get 1
      f64x2.convert_low_i32x4_u
      i32x4.dot_i16x8_s
      i8x16.extract_lane_u 8
      v128.load offset=147747 align=1
      f64x2.extract_lane 1
      i32.trunc_sat_f64_u
      i64.load8_u offset=65272
      br 0 (;@1;)
      i64.eqz
      f32.const 0x1.p-141 (;=0.000000000000000000000000000000000000000000359;)
      i64.trunc_sat_f32_u
      f64.convert_i64_s
      data.drop 0
      i64.trunc_f64_u
      f32.const 0x1.ffep-138 (;=0.000000000000000000000000000000000000000005738;)
      f32.trunc
      f32.floor
      i32.trunc_sat_f32_s
      v128.load16x4_s offset=17865
      i64x2.extract_lane 1
      elem.drop 0
      i64.extend32_s
      data.drop 0
      loop (type 6) ;; label = @2
        return_call 6
      end
      i64.extend8_s
      i64.extend32_s
      i64.and
      f64.convert_i64_s
      f64.nearest
      f64.store offset=14459 align=4
      f64.nearest
      f32.const -nan:0x7ff7ff (;=NaN;)
      i64.trunc_f32_u
      i64.const 570787074011394484
      i64.shr_s
      return_call 1
      f32.convert_i64_u
      i32.trunc_f32_u
      unreachable
      unreachable
    end
    unreachable
  )
  (func (;1;) (type 0))
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
  (data (;0;) "")
  (@custom "divvy.manifest" (after data) "{\22abi\22: \221.0\22, \22name\22: \22drawn\22}")
)
