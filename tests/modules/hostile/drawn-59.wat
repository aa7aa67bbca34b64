;; ?
;; Drawn by wasm-smith from seed 59 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func))
  (type (;1;) (func (param i32) (result i32)))
  (type (;2;) (func (param i32 i32) (result i64)))
  (type (;3;) (func (param i32 i32) (result i64)))
  (type (;4;) (func))
  (memory (;0;) 1 4)
  (global (;0;) (mut f64) f64.const -0x1.eb3e88436d096p+421 (;=-10391678548653372000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000;))
  (global (;1;) (mut f64) f64.const 0x1.9cf3e5419d354p-778 (;=0.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000010146674669320068;))
  (global (;2;) (mut i32) i32.const 0)
  (global (;3;) (mut i64) i64.const 0)
  (global (;4;) (mut v128) v128.const i32x4 0x00000000 0x00000000 0x00000000 0x00000000)
  (global (;5;) (mut i32) i32.const 0)
  (global (;6;) (mut i64) i64.const 0)
  (export "memory" (memory 0))
  (export "divvy_abi_v1" (func 0))
  (export "divvy_alloc" (func 1))
  (export "divvy_assign" (func 2))
  (export "divvy_user_data" (func 3))
  (export "_initialize" (func 4))
  (func (;0;) (type 0)
    (local i64)
    v128.const i32x4 0xc62d7039 0x67dda39c 0xb80d2bc5 0xe3d23530
    i32.const -1742218005
    i64x2.shr_u
    i32x4.extend_high_i16x8_s
    f64x2.extract_lane 0
    i32.const -266853481
    v128.const i32x4 0x61afa404 0x780a1872 0xa0dad916 0xf7d2f875
    f64x2.trunc
    i32x4.extadd_pairwise_i16x8_s
    i16x8.extend_high_i8x16_u
    v128.load8_lane offset=20303 5
    f32x4.trunc
    f64x2.promote_low_f32x4
    i32x4.extadd_pairwise_i16x8_u
    i16x8.extend_low_i8x16_u
    i32x4.trunc_sat_f32x4_s
    f64x2.nearest
    loop (type 0) ;; label = @1
      br 0 (;@1;)
      i32.const 1720220922
      if (type 4) ;; label = @2
        local.get 0
        memory.size
        i32.extend8_s
        memory.size
        i32.add
        return_call 4
        v128.const i32x4 0x15607c02 0xb7803ad0 0x85f4de7e 0xb42304aa
        nop
        i8x16.extract_lane_s 13
        v128.load32x2_u offset=24588 align=1
        i8x16.neg
        f64x2.abs
        f32x4.trunc
        i8x16.popcnt
        f64x2.promote_low_f32x4
        i8x16.popcnt
        i64.const -2693133231491028155
        br 1 (;@1;)
        i64.extend8_s
        f64.convert_i64_u
        global.get 0
        i64.trunc_f64_s
        i64x2.splat
        i32x4.extend_low_i16x8_u
        f64x2.convert_low_i32x4_u
        i64x2.neg
        i32x4.trunc_sat_f64x2_s_zero
        i8x16.extract_lane_s 0
        f32.convert_i32_s
        i32.reinterpret_f32
        global.get 2
        i32.xor
        global.set 2
        i64.reinterpret_f64
        global.get 3
        i64.xor
        global.set 3
        global.get 4
        v128.xor
        global.set 4
        global.get 5
        i32.xor
        global.set 5
        global.get 6
        i64.xor
        global.set 6
      end
    end
    global.get 4
    v128.xor
    global.set 4
    i64.reinterpret_f64
    global.get 3
    i64.xor
    global.set 3
  )
  (func (;1;) (type 1) (param i32) (result i32)
    global.get 1
    f64.sqrt
    local.get 0
    block ;; label = @1
      local.get 0
      v128.load32_splat offset=142651 align=1
      i64x2.extract_lane 0
      block (type 4) ;; label = @2
        loop ;; label = @3
          global.get 1
          ref.null extern
          loop (type 0) ;; label = @4
            memory.size
            i64.const 4277874271901000318
            i64.popcnt
            memory.size
            local.tee 0
            i32.load8_s offset=33687
            i64.load8_s offset=23061
            memory.size
            i64.load16_u offset=31350 align=1
            memory.size
            v128.load8x8_s offset=18655 align=2
            f32x4.nearest
            f64x2.extract_lane 0
            global.get 0
            i64.const -1125899906842624
            loop (result f64) ;; label = @5
              local.get 0
              v128.load32_zero offset=64463
              i16x8.extadd_pairwise_i8x16_s
              v128.not
              f32x4.trunc
              i64.const 2705310065622184100
              v128.const i32x4 0xd615e1e4 0x278a08ce 0x11730fca 0x951c5659
              local.get 0
              f32.load offset=29212
              f32.abs
              i32.trunc_f32_s
              i8x16.splat
              i64x2.ne
              f32x4.convert_i32x4_u
              i32x4.trunc_sat_f64x2_s_zero
              i64x2.bitmask
              i32.eqz
              i64.load8_u offset=25335
              loop ;; label = @6
              end
              i64.mul
              f64.convert_i64_s
              f64.sqrt
              ref.null extern
              global.get 1
              f32.const 0x1.6e0b7ep+114 (;=29697090000000000000000000000000000;)
              i64.trunc_sat_f32_s
              f64.const -nan:0xf7fffffffffff (;=NaN;)
              memory.size
              v128.load16x4_s offset=47806 align=4
              i8x16.abs
              i16x8.extend_low_i8x16_u
              i64x2.neg
              memory.size
              v128.load64_zero offset=48750 align=2
              i64x2.ge_s
              i32x4.all_true
              block (result i64) ;; label = @6
                i64.const -3095166259040789767
                i64x2.splat
                i32x4.neg
                f64x2.neg
                i32x4.trunc_sat_f32x4_u
                call 0
                i16x8.extadd_pairwise_i8x16_s
                i16x8.extract_lane_u 3
                i64.load16_s offset=31575 align=1
                global.get 0
                unreachable
                unreachable
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
  (func (;2;) (type 2) (param i32 i32) (result i64)
    unreachable
  )
  (func (;3;) (type 3) (param i32 i32) (result i64)
    unreachable
  )
  (func (;4;) (type 4))
  (@custom "divvy.manifest" (after code) "{\22abi\22: \221.0\22, \22name\22: \22drawn\22}")
)
