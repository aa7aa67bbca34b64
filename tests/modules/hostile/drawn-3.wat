;; ?
;; Drawn by wasm-smith from seed 3 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func (param i64 i32) (result externref f64 i32 v128 i64 f32)))
  (type (;1;) (func))
  (type (;2;) (func (param i32) (result i32)))
  (type (;3;) (func (param i32 i32) (result i64)))
  (type (;4;) (func (param i32 i32) (result i64)))
  (type (;5;) (func))
  (table (;0;) 8969 externref)
  (memory (;0;) 1 4)
  (export "memory" (memory 0))
  (export "divvy_abi_v1" (func 1))
  (export "divvy_alloc" (func 2))
  (export "divvy_assign" (func 3))
  (export "divvy_user_data" (func 4))
  (export "_initialize" (func 5))
  (start 5)
  (func (;0;) (type 0) (param i64 i32) (result externref f64 i32 v128 i64 f32)
    i32.const -1314782357
    i32.ctz
    i32.popcnt
    local.get 0
    i64x2.splat
    i32.const 266138806
    v128.load8x8_s offset=40561
    i8x16.extract_lane_u 12
    v128.load16_splat offset=46916
    i64x2.abs
    i64x2.neg
    i64x2.ne
    i64x2.neg
    f64x2.promote_low_f32x4
    f32x4.sqrt
    f32x4.extract_lane 3
    f32.abs
    i64.trunc_sat_f32_s
    loop (type 1) ;; label = @1
      i64.const 274877906944
      f64.convert_i64_s
      i32.trunc_sat_f64_s
      i64.extend_i32_s
      data.drop 1
      i64.extend16_s
      i64.extend8_s
      i64.eqz
      v128.const i32x4 0x0e60bf94 0x9f57ea63 0x9e00dbf5 0xe3e02631
      data.drop 1
      f64x2.convert_low_i32x4_u
      f32x4.convert_i32x4_s
      local.get 0
      memory.size
      local.set 1
      i64.eqz
      i8x16.splat
      i64x2.extmul_high_i32x4_s
      i64x2.neg
      i64x2.extend_high_i32x4_u
      v128.load16_lane offset=15087 3
      br 0 (;@1;)
      i32x4.abs
      i8x16.bitmask
      f32.convert_i32_s
      i64.trunc_f32_u
      memory.size
      i64.extend_i32_u
      i64.lt_u
      v128.load64_splat offset=37108 align=2
      i8x16.neg
      i32x4.extend_low_i16x8_s
      i64x2.bitmask
      i64.extend_i32_s
      f64.reinterpret_i64
      i64.trunc_f64_u
      f32.const -0x1.fffffep+120 (;=-2658455800000000000000000000000000000;)
      i32.trunc_sat_f32_s
      i32.load8_s offset=22772
      i64.load32_u offset=22095 align=1
      i32.wrap_i64
      i64.extend_i32_s
      f64.const 0x1.203bb1010db37p-582 (;=0.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000711289693434975;)
      i64.trunc_f64_s
      memory.size
      block (type 1) ;; label = @2
        call 5
        block (result f64) ;; label = @3
          loop ;; label = @4
            block (result funcref) ;; label = @5
              block (type 5) ;; label = @6
                f32.const 0x1.6caa8ap-48 (;=0.0000000000000050607597;)
                i64.const -2942280816498104778
                i32.wrap_i64
                memory.size
                i64.load offset=188135 align=2
                i32.wrap_i64
                f32.convert_i32_s
                f32.trunc
                i32.reinterpret_f32
                local.set 1
                i64.load32_u offset=54966 align=2
                i64.extend32_s
                call 5
                data.drop 0
                block (type 5) ;; label = @7
                  f64.const -0x1.2ff8c5f21cc98p-35 (;=-0.000000000034557589334835014;)
                  f64.nearest
                  local.get 0
                  f64.reinterpret_i64
                  f32.demote_f64
                  f32.neg
                  f32.abs
                  i32.reinterpret_f32
                  br_table 4 (;@3;) 4 (;@3;)
                  i64.const 7317658985319518544
                  f32.convert_i64_u
                  block (result f32) ;; label = @8
                    f64.const 0x1.4341105f0af7ep-119 (;=0.0000000000000000000000000000000000018999171716160373;)
                    f64.trunc
                    i32.trunc_sat_f64_s
                    local.set 1
                    f32.const 0x1.p-132 (;=0.000000000000000000000000000000000000000183671;)
                    i64.trunc_sat_f32_s
                    i64.extend8_s
                    br 2 (;@6;)
                    i32.const 424514917
                    i32x4.splat
                    i8x16.bitmask
                    v128.load16x4_s offset=33459
                    i16x8.all_true
                    i32.eqz
                    v128.load64_splat offset=22236 align=1
                    i16x8.extend_low_i8x16_s
                    loop (type 5) ;; label = @9
                      block (type 5) ;; label = @10
                        table.size 0
                        i32.extend8_s
                        br_if 0 (;@10;)
                        v128.const i32x4 0x2d2ab094 0xc665c852 0xf0645535 0xf6c7c028
                        f64x2.convert_low_i32x4_u
                        f32x4.neg
                        v128.const i32x4 0x86531f51 0x699631db 0x4752716f 0x9a3e5ecd
                        i32x4.gt_s
                        i32x4.trunc_sat_f64x2_u_zero
                        f64x2.floor
                        i8x16.extract_lane_s 10
                        v128.load32_zero offset=46697 align=2
                        i8x16.bitmask
                        nop
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
          end
          unreachable
        end
        unreachable
      end
      unreachable
    end
    unreachable
  )
  (func (;1;) (type 1))
  (func (;2;) (type 2) (param i32) (result i32)
    unreachable
  )
  (func (;3;) (type 3) (param i32 i32) (result i64)
    unreachable
  )
  (func (;4;) (type 4) (param i32 i32) (result i64)
    unreachable
  )
  (func (;5;) (type 5))
  (data (;0;) (i32.const 21) "h\07\1f7\df")
  (data (;1;) (i32.const 26776) "")
  (data (;2;) "\83z")
  (@custom "divvy.manifest" (after data) "{\22abi\22: \221.0\22, \22name\22: \22drawn\22}")
)
