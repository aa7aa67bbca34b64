;; ?
;; Drawn by wasm-smith from seed 71 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func (result i32 f64 v128)))
  (type (;1;) (func))
  (type (;2;) (func (param i32) (result i32)))
  (type (;3;) (func (param i32 i32) (result i64)))
  (type (;4;) (func (param i32 i32) (result i64)))
  (type (;5;) (func))
  (memory (;0;) 1)
  (memory (;1;) 1 4)
  (global (;0;) (mut i64) i64.const 1875946923550915250 i64.const 1991181114544834740 i64.const -1482298647274344565 i64.mul i64.const -1647581499600226141 i64.const 4146574246597831691 i64.sub i64.mul i64.mul i64.const 4538001514809226519 i64.mul i64.const 8919916630483375778 i64.add)
  (global (;1;) externref ref.null extern)
  (global (;2;) f32 f32.const 0x1.49cbep+126 (;=109593650000000000000000000000000000000;))
  (global (;3;) i32 i32.const 1003993560)
  (export "memory" (memory 1))
  (export "divvy_abi_v1" (func 0))
  (export "divvy_alloc" (func 1))
  (export "divvy_assign" (func 2))
  (export "divvy_user_data" (func 3))
  (export "_initialize" (func 4))
  (func (;0;) (type 1)
    (local f64)
    return_call 0
    call 0
    v128.const i32x4 0x7e734b1a 0x20b5b112 0x8b7d552e 0xd3735487
    i32x4.extend_low_i16x8_u
    f64x2.neg
    i64x2.extend_high_i32x4_s
    i16x8.extend_low_i8x16_s
    i32x4.extend_low_i16x8_u
    f64x2.convert_low_i32x4_u
    v128.const i32x4 0xd9ae0db7 0xe46985d0 0x8e3ebf81 0xa7cf478d
    i32x4.extend_high_i16x8_s
    i8x16.popcnt
    f32x4.nearest
    i16x8.abs
    global.get 0
    global.set 0
    i64x2.ne
    f32x4.convert_i32x4_s
    br 0
    return_call 4
    i32.const 1188710544
    i16x8.replace_lane 6
    nop
    f64x2.trunc
    i16x8.extend_high_i8x16_s
    f64x2.promote_low_f32x4
    i64x2.neg
    f64x2.nearest
    i16x8.bitmask
    return_call 4
    f32.load offset=49980 align=1
    f32.nearest
    local.get 0
    f64.abs
    br 0
    f64.floor
    memory.size 1
    v128.load64_splat 1 offset=60718 align=4
    i32x4.all_true
    f32.load offset=59566
    call 0
    i64.const 4611686018427387903
    i64.extend16_s
    i64.const 31058933376349428
    ref.null extern
    br 0
    block ;; label = @1
      local.get 0
      f64.neg
      i32.trunc_sat_f64_s
      i32.load 1 offset=35268 align=2
      v128.load8x8_u offset=330424150 align=4
      v128.const i32x4 0xadb46e28 0xee43ce79 0x2b3c0ea7 0x6a01856f
      i8x16.min_s
      loop ;; label = @2
        f32.const 0x1.222222p-93 (;=0.00000000000000000000000000011443742;)
        global.get 1
        br 0 (;@2;)
        br 2
        v128.const i32x4 0x896461b3 0x40465679 0xac554d64 0x57930ae2
        v128.not
        f32.const -0x1.c64622p+31 (;=-3810726100;)
        i64.trunc_sat_f32_u
        br 2
        i64x2.replace_lane 0
        ref.null func
        f64.const 0x1.8f78e5268e7fap-676 (;=0.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000049770221987811314;)
        f64.neg
        i64.reinterpret_f64
        i32.wrap_i64
        f64.const -nan:0xffffffffffffb (;=NaN;)
        i64.reinterpret_f64
        i64.const -576460752303423489
        return_call 0
        nop
        i64.or
        f64.const 0x1.p-1060 (;=0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008095;)
        f64.ceil
        f64.nearest
        i32.const 1230276291
        i64.load16_s 1 offset=5195 align=1
        loop (type 5) ;; label = @3
          local.get 0
          f32.const 0x1p-125 (;=0.000000000000000000000000000000000000023509887;)
          f64.const -nan:0xffffffffeffff (;=NaN;)
          i32.trunc_sat_f64_s
          i64.load16_u 1 offset=69370
          local.get 0
          loop (type 0) (result i32 f64 v128) ;; label = @4
            block ;; label = @5
            end
            f64.const 0x1.d8a40c4c584cfp-907 (;=0.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000017064170736215183;)
            v128.const i32x4 0x9876d942 0xba3d5044 0x9caf8fdd 0xa8548150
            i16x8.extadd_pairwise_i8x16_s
            i32.const 67108863
            if (type 1) ;; label = @5
              global.get 1
              br 1 (;@4;)
              f64.const 0x1.4271e5bc18afep+182 (;=7721021709251619000000000000000000000000000000000000000;)
              block (type 0) (result i32 f64 v128) ;; label = @6
                memory.size
                i64.const 1024
                memory.size 1
                i64.load16_s 1 offset=50433 align=1
                ref.null extern
                nop
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
  )
  (func (;1;) (type 2) (param i32) (result i32)
    unreachable
  )
  (func (;2;) (type 3) (param i32 i32) (result i64)
    unreachable
  )
  (func (;3;) (type 4) (param i32 i32) (result i64)
    unreachable
  )
  (func (;4;) (type 5))
  (@custom "divvy.manifest" (after code) "{\22abi\22: \221.0\22, \22name\22: \22drawn\22}")
)
