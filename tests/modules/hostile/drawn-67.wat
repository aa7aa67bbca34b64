;; ?
;; Drawn by wasm-smith from seed 67 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func))
  (type (;1;) (func (param i32) (result i32)))
  (type (;2;) (func (param i32 i32) (result i64)))
  (type (;3;) (func (param i32 i32) (result i64)))
  (type (;4;) (func))
  (table (;0;) 1009 152868 funcref)
  (memory (;0;) 1 4)
  (global (;0;) i64 i64.const -1628173702994422902 i64.const -2521236504406974860 i64.mul)
  (global (;1;) funcref ref.null func)
  (global (;2;) (mut i32) i32.const 0)
  (global (;3;) (mut i64) i64.const 0)
  (global (;4;) (mut i64) i64.const 0)
  (global (;5;) (mut i32) i32.const 0)
  (global (;6;) (mut v128) v128.const i32x4 0x00000000 0x00000000 0x00000000 0x00000000)
  (export "memory" (memory 0))
  (export "divvy_abi_v1" (func 0))
  (export "divvy_alloc" (func 1))
  (export "divvy_assign" (func 2))
  (export "divvy_user_data" (func 3))
  (export "_initialize" (func 4))
  (elem (;0;) func)
  (func (;0;) (type 0)
    global.get 1
    loop ;; label = @1
      global.get 0
      block (type 0) ;; label = @2
        v128.const i32x4 0x3334ce0f 0x1e5cf11d 0x86f9dc95 0x37f8503d
        i32x4.all_true
        v128.load offset=58957 align=8
        f64x2.neg
        v128.not
        i32x4.extend_low_i16x8_s
        i16x8.extend_high_i8x16_u
        i32x4.bitmask
        i32.eqz
        i64.load32_s offset=29821 align=1
        i32.wrap_i64
        i32.load offset=5203
        v128.load32x2_s offset=131303 align=4
        i16x8.extend_low_i8x16_s
        i32x4.trunc_sat_f64x2_u_zero
        loop ;; label = @3
          ref.null extern
          f64.const 0x1.fffffffffffffp-512 (;=0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000014916681462400412;)
          i32.trunc_sat_f64_s
          i32.load8_s offset=21615
          i16x8.splat
          f32x4.nearest
          i32x4.extend_low_i16x8_u
          v128.not
          block ;; label = @4
            loop (result i32) ;; label = @5
              ref.null func
              table.size 0
              v128.load offset=20811 align=8
              i64x2.abs
              i32x4.extend_high_i16x8_s
              f64x2.sqrt
              i16x8.all_true
              i64.load offset=140734 align=1
              i64.extend8_s
              loop (type 4) ;; label = @6
                f64.const 0x1.e2b169258ac01p+357 (;=553527875949001740000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000;)
                memory.size
                i32.const -171355744
                v128.load32x2_s offset=15892 align=2
                i64x2.extend_low_i32x4_s
                i64x2.bitmask
                i32.const -16777216
                memory.grow
                memory.fill
                i32.const 1793921814
                f32.load offset=61008
                i64.trunc_sat_f32_s
                f64.const 0x1.fffffffcp-1044 (;=0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001060997895;)
                i64.const 3917731380206938831
                f32.convert_i64_u
                i32.reinterpret_f32
                global.get 2
                i32.xor
                global.set 2
                i64.reinterpret_f64
                global.get 3
                i64.xor
                global.set 3
                global.get 4
                i64.xor
                global.set 4
                i64.reinterpret_f64
                global.get 3
                i64.xor
                global.set 3
              end
              global.get 4
              i64.xor
              global.set 4
              drop
              i32.const -292462092
            end
            global.get 5
            i32.xor
            global.set 5
          end
          global.get 6
          v128.xor
          global.set 6
          drop
        end
        global.get 6
        v128.xor
        global.set 6
      end
      global.get 4
      i64.xor
      global.set 4
    end
    drop
  )
  (func (;1;) (type 1) (param i32) (result i32)
    memory.size
    i32.extend16_s
    global.get 0
    i64.store16 offset=40665 align=1
    block (type 0) ;; label = @1
    end
    local.get 0
    v128.load offset=44697 align=8
    i8x16.bitmask
    global.get 1
    i64.const 262160
    table.size 0
    f64.convert_i32_s
    ref.null func
    local.get 0
    i64.load8_s offset=43157
    elem.drop 0
    i64x2.splat
    f64x2.extract_lane 0
    f64.nearest
    f64.abs
    f64.const 0x1.p-1025 (;=0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002781342323134;)
    f64.const -nan:0xfffffffe00000 (;=NaN;)
    memory.size
    v128.load32_zero offset=38169
    i16x8.neg
    i16x8.extend_high_i8x16_s
    i8x16.all_true
    f32.load offset=51003 align=2
    f64.const 0x1.fa6f0eab0062ep+227 (;=426669647250256700000000000000000000000000000000000000000000000000000;)
    memory.size
    i32.load16_s offset=11460 align=1
    return_call 1
    i64.load offset=32999 align=4
    i64.extend8_s
    global.get 0
    i64.clz
    i64.div_s
    i32.const -1674702814
    global.get 1
    table.set 0
    call 4
    block (result f64) ;; label = @1
      i64.const 5689498705224987965
      i32.const 128
      local.tee 0
      i32.const -1740698423
      v128.load8x8_s offset=51429 align=2
      i16x8.extend_low_i8x16_s
      f32x4.demote_f64x2_zero
      f64x2.floor
      i32x4.bitmask
      v128.load32_zero offset=32400 align=1
      f64x2.neg
      i32x4.abs
      v128.const i32x4 0x62bc8d46 0xf39cff23 0x02766e4c 0x34e8a70e
      i64x2.extmul_low_i32x4_s
      f32x4.floor
      f64x2.promote_low_f32x4
      v128.store64_lane offset=9274 align=2 0
      f64.const 0x0p+0 (;=0;)
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
