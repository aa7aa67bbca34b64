;; call trap: divvy_alloc stopped with wasm trap: integer overflow
;; Drawn by wasm-smith from seed 17 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func (param f32)))
  (type (;1;) (func))
  (type (;2;) (func (param f32)))
  (type (;3;) (func))
  (type (;4;) (func))
  (type (;5;) (func (param i32) (result i32)))
  (type (;6;) (func (param i32 i32) (result i64)))
  (type (;7;) (func (param i32 i32) (result i64)))
  (type (;8;) (func))
  (memory (;0;) 1 4)
  (global (;0;) (mut f64) f64.const 0x1.2ca8efaf00354p+277 (;=285196605964423560000000000000000000000000000000000000000000000000000000000000000000;))
  (global (;1;) v128 v128.const i32x4 0x1664f61a 0x32ea046b 0x9121e4c7 0x740414db)
  (global (;2;) (mut i64) i64.const 0)
  (global (;3;) (mut i32) i32.const 0)
  (export "memory" (memory 0))
  (export "divvy_abi_v1" (func 0))
  (export "divvy_alloc" (func 1))
  (export "divvy_assign" (func 2))
  (export "divvy_user_data" (func 3))
  (export "_initialize" (func 4))
  (func (;0;) (type 4)
    (local f64 v128 f64)
    global.get 0
    block (type 4) ;; label = @1
    end
    local.set 2
    loop (result i32) ;; label = @1
      block (type 4) ;; label = @2
        local.get 2
        i32.trunc_f64_s
        global.get 0
        call 4
        f64.ceil
        br 2
        f64.abs
        v128.const i32x4 0xb0c9679e 0xeacd16db 0x80ff74f9 0x0f098938
        i16x8.extend_low_i8x16_u
        i16x8.all_true
        f64.const -nan:0xfffffffefffff (;=NaN;)
        f64.store offset=23151 align=4
        i64.trunc_f64_s
        i64.extend32_s
        i32.wrap_i64
        i32.mul
        br_table 0 (;@2;) 1 (;@1;) 2 1 (;@1;)
        f32.const 0x1.88fc6ap-66 (;=0.000000000000000000020804505;)
        f32.abs
        i32.trunc_f32_u
        i64.load8_u offset=156871
        i64.const -32768
        i64.rotr
        i64x2.splat
        i32x4.trunc_sat_f32x4_s
        f64x2.extract_lane 0
        i64.reinterpret_f64
        global.get 2
        i64.xor
        global.set 2
      end
      i32.const -16777216
    end
    global.get 3
    i32.xor
    global.set 3
  )
  (func (;1;) (type 5) (param i32) (result i32)
    f64.const nan:0xfffffffffffff (;=NaN;)
    local.get 0
    i32.const -33554432
    i32.xor
    i32.popcnt
    i64.extend_i32_s
    f64.convert_i64_u
    f64.lt
    i32.clz
    i64.load16_u offset=14302 align=1
    f32.convert_i64_u
    call 0
    f32.const 0x1.p-145 (;=0.000000000000000000000000000000000000000000022;)
    f32.gt
    i8x16.splat
    global.get 1
    i16x8.extadd_pairwise_i8x16_u
    f64x2.trunc
    i8x16.abs
    i64x2.extmul_low_i32x4_u
    i64x2.extend_high_i32x4_u
    i32x4.bitmask
    local.tee 0
    v128.load8x8_s offset=10385
    i32x4.extadd_pairwise_i16x8_s
    loop ;; label = @1
      loop (result i64) ;; label = @2
        call 4
        local.get 0
        i32.load8_u offset=12716
        i32.extend8_s
        block (type 5) (param i32) (result i32) ;; label = @3
          i32.load16_u offset=134664 align=1
          v128.load16x4_s offset=44690 align=1
          f32.const 0x1.0ce958p-65 (;=0.000000000000000000028472112;)
          global.get 1
          i64x2.extend_low_i32x4_s
          f32x4.convert_i32x4_s
          i16x8.abs
          i64x2.bitmask
          block (type 5) (param i32) (result i32) ;; label = @4
            i64.load16_u offset=115917 align=1
            i64.const -65
            f64.reinterpret_i64
            i64.trunc_sat_f64_s
            i64.div_u
            v128.const i32x4 0xc12e5642 0x22fa69fd 0x3cb4fae7 0x06d43cb7
            i16x8.neg
            i32x4.all_true
            v128.load offset=54822 align=8
            i64x2.extract_lane 0
            global.get 0
            f64.neg
            i32.trunc_f64_s
            f64.const 0x1.fffffffffff8p-1029 (;=0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000347667790391745;)
            i32.trunc_sat_f64_u
            i32.extend16_s
            f64.convert_i32_u
            i64.reinterpret_f64
            i64.store8 offset=40538
            i64.gt_u
            i16x8.splat
            i64x2.bitmask
            br_table 2 (;@2;) 3 (;@1;) 2 (;@2;)
            global.get 1
            i64x2.extend_low_i32x4_u
            i32x4.extend_high_i16x8_u
            i32x4.all_true
            i64.load32_s offset=21566 align=2
            i32.const 1431615823
            v128.load16x4_u offset=31183 align=4
            i8x16.bitmask
            if (type 1) ;; label = @5
              call 0
              block (type 8) ;; label = @6
                global.get 1
                f64x2.extract_lane 0
                i64.reinterpret_f64
                call 0
                f32.const 0x1.0008p-133 (;=0.000000000000000000000000000000000000000091847;)
                f32.const 0x1.ffcp-139 (;=0.000000000000000000000000000000000000000002868;)
                f32.neg
                i32.trunc_f32_u
                f64.convert_i32_s
                i64.trunc_f64_s
                f32.const -nan:0x7fffef (;=NaN;)
                i32.trunc_f32_u
                v128.load offset=55981 align=2
                f64x2.nearest
                br 0 (;@6;)
                f64x2.promote_low_f32x4
                i32x4.extend_low_i16x8_s
                f32x4.floor
                f64x2.floor
                i32x4.trunc_sat_f32x4_s
                i16x8.all_true
                i64.const 16
                f64.reinterpret_i64
                i32.trunc_sat_f64_u
                i32.le_s
                v128.load16x4_u offset=52657
                f32.const 0x1.0008p-133 (;=0.000000000000000000000000000000000000000091847;)
                nop
                f64.promote_f32
                block ;; label = @7
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
      unreachable
    end
    unreachable
  )
  (func (;2;) (type 6) (param i32 i32) (result i64)
    unreachable
  )
  (func (;3;) (type 7) (param i32 i32) (result i64)
    unreachable
  )
  (func (;4;) (type 8))
  (@custom "divvy.manifest" (after code) "{\22abi\22: \221.0\22, \22name\22: \22drawn\22}")
)
