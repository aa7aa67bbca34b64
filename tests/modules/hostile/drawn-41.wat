;; ?
;; Drawn by wasm-smith from seed 41 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func (param externref)))
  (type (;1;) (func))
  (type (;2;) (func (param i32) (result i32)))
  (type (;3;) (func (param i32 i32) (result i64)))
  (type (;4;) (func (param i32 i32) (result i64)))
  (type (;5;) (func))
  (table (;0;) 8836 157332 externref)
  (memory (;0;) 0 10756)
  (memory (;1;) 1 4)
  (global (;0;) v128 v128.const i32x4 0x1013059e 0x508b05e3 0x0a34e6f2 0xdd5412d9)
  (global (;1;) f32 f32.const 0x1.77ff9cp-119 (;=0.0000000000000000000000000000000000022099204;))
  (global (;2;) i32 i32.const 336071365 i32.const -709002697 i32.const -1171451438 i32.const -197461049 i32.const -1645798723 i32.const 880421508 i32.sub i32.mul i32.mul i32.const -1803896068 i32.sub i32.sub i32.const 1126115866 i32.sub i32.add)
  (export "memory" (memory 1))
  (export "divvy_abi_v1" (func 0))
  (export "divvy_alloc" (func 1))
  (export "divvy_assign" (func 2))
  (export "divvy_user_data" (func 3))
  (export "_initialize" (func 4))
  (start 0)
  (func (;0;) (type 1)
    (local i64 f64 f64 i32 f32 i32)
    memory.size 1
    global.get 1
    call 0
    i64.trunc_sat_f32_u
    f64.const -0x1.0c0a7f0fd3fbap+19 (;=-548947.970682136;)
    f32.const -0x1.9db69ep-120 (;=-0.0000000000000000000000000000000000012157943;)
    memory.size
    i32.load16_s align=1
    i32x4.splat
    i64x2.extend_low_i32x4_s
    i32x4.extend_low_i16x8_u
    i32x4.trunc_sat_f32x4_u
    i64x2.neg
    f64x2.abs
    f32.const 0x1.fffep-134 (;=0.000000000000000000000000000000000000000091834;)
    f32.floor
    i32.const -796449466
    i32.eqz
    i32.popcnt
    br_if 0
    block (result i64) ;; label = @1
      local.get 2
      i32.trunc_f64_u
      v128.const i32x4 0xda16b3db 0x6390ab32 0xf252f6b3 0x65d0c64a
      f32.const 0x1.ffff8p-132 (;=0.00000000000000000000000000000000000000036734;)
      local.tee 4
      f32.floor
      i32.const -286331154
      i64.const -643091082717378074
      i64.clz
      i64.eqz
      i32.popcnt
      f64.convert_i32_u
      block (type 1) ;; label = @2
        i32.const 1583897640
        i32.load8_u 1 offset=33248
        f32.convert_i32_u
        f32.sqrt
        block (type 5) ;; label = @3
          call 4
          loop (result f32) ;; label = @4
            loop ;; label = @5
              global.get 0
              f32x4.floor
              f64x2.trunc
              i8x16.abs
              i32x4.abs
              i64x2.extend_high_i32x4_u
              ref.null func
              br 2 (;@3;)
              f64.const 0x1.fffffffffffcp-1028 (;=0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000695335580783495;)
              f64.floor
              memory.size
              i32.extend16_s
              i64.load32_s 1 offset=6850 align=2
              f32.const 0x1.9a7acp-89 (;=0.0000000000000000000000000025904898;)
              i64.trunc_sat_f32_s
              global.get 1
              i64.trunc_sat_f32_s
              f32.convert_i64_s
              local.set 4
              i64.le_s
              f32.convert_i32_u
              i64.trunc_sat_f32_s
              table.size 0
              v128.load16_splat
              br 5
              i64x2.extend_high_i32x4_u
              memory.size
              i32.load16_u 1 offset=54189
              i32.eqz
              f64.convert_i32_s
              i64.trunc_sat_f64_s
              i32.wrap_i64
              i16x8.shl
              i64x2.bitmask
              v128.load32_zero 1 offset=130176
              i16x8.extadd_pairwise_i8x16_s
              table.size 0
              i32.extend8_s
              return_call 4
              block (result i64) ;; label = @6
                i32.const 262140
                i8x16.splat
                f64x2.extract_lane 0
                global.get 0
                i64x2.extend_high_i32x4_s
                f64.const -nan:0xffffffffffdff (;=NaN;)
                i64.reinterpret_f64
                i64.extend8_s
                i64.const -3909451364424952092
                i64.popcnt
                loop (type 5) ;; label = @7
                  return
                  local.get 3
                  i32.load16_s 1 offset=145334 align=1
                  i64.load8_u offset=412224918
                  ref.null func
                  br 4 (;@3;)
                  ref.is_null
                  i32.extend16_s
                  v128.load64_splat 1 offset=61171 align=1
                  v128.not
                  block (type 1) ;; label = @8
                    table.size 0
                    f32.const 0x1p-119 (;=0.0000000000000000000000000000000000015046328;)
                    i64.const 549755813887
                    i64x2.splat
                    f64.const 0x1.0c7e3c3c09423p+529 (;=1843150849988544000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000;)
                    f64x2.replace_lane 0
                    i64x2.neg
                    f32x4.abs
                    f64x2.nearest
                    i8x16.neg
                    i32x4.extend_low_i16x8_s
                    i8x16.bitmask
                    return_call 0
                    call 1
                    local.get 3
                    i64.load32_s 1 offset=102521
                    unreachable
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
