;; ?
;; Drawn by wasm-smith from seed 31 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func))
  (type (;1;) (func (param i32) (result i32)))
  (type (;2;) (func (param i32 i32) (result i64)))
  (type (;3;) (func (param i32 i32) (result i64)))
  (type (;4;) (func))
  (table (;0;) 18 172351 externref)
  (memory (;0;) 5550)
  (memory (;1;) 1 4)
  (export "memory" (memory 1))
  (export "divvy_abi_v1" (func 0))
  (export "divvy_alloc" (func 1))
  (export "divvy_assign" (func 2))
  (export "divvy_user_data" (func 3))
  (export "_initialize" (func 4))
  (start 0)
  (func (;0;) (type 0)
    f64.const 0x1.128490f6ab701p+320 (;=2290494300364467400000000000000000000000000000000000000000000000000000000000000000000000000000000;)
    i32.const 1691114583
    i64.extend_i32_s
    block (type 4) ;; label = @1
      call 0
      memory.size 1
      i32.extend16_s
      br 1
      v128.load16x4_u offset=153244619 align=4
      v128.not
      i32x4.trunc_sat_f64x2_s_zero
      i64x2.abs
      f32x4.ceil
      f64x2.ceil
      i16x8.all_true
      f64.const 0x1.c468b5820fe64p+200 (;=2839817441992598000000000000000000000000000000000000000000000;)
      br 1
      data.drop 0
      loop (result f32) ;; label = @2
        call 0
        br 1 (;@1;)
        memory.size
        i64.load8_u 1 offset=32153
        return_call 4
        i64.clz
        f64.convert_i64_u
        f64.const -0x1.cda527d044216p-415 (;=-0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000021311798475712962;)
        i64.trunc_sat_f64_s
        call 0
        data.drop 0
        f32.const 0x1.fffffep-120 (;=0.0000000000000000000000000000000000015046327;)
        f32.floor
        f32.const 0x1.dd5e52p-19 (;=0.000003556672;)
        f32.lt
        i32.load16_s offset=173112961 align=1
        table.size 0
        i32.div_s
        data.drop 0
        block (type 0) ;; label = @3
          data.drop 0
          f64.const 0x1.2636794221c4dp-210 (;=0.0000000000000000000000000000000000000000000000000000000000000006984293644496957;)
          f64.trunc
          f64x2.splat
          f64x2.nearest
          f64x2.trunc
          i8x16.extract_lane_s 0
          i16x8.splat
          f32x4.trunc
          f64x2.trunc
          i64x2.extend_low_i32x4_u
          i16x8.extadd_pairwise_i8x16_s
          i8x16.extract_lane_u 2
          i32.load8_u 1 offset=48252
          v128.load16x4_s offset=205322898 align=1
          f32x4.abs
          i32x4.trunc_sat_f64x2_u_zero
          f32x4.sqrt
          i16x8.extract_lane_u 4
          i64.extend_i32_u
          f32.convert_i64_u
          f32.nearest
          return_call 4
          block (result f64) ;; label = @4
            v128.const i32x4 0x25df5b62 0xe599af1f 0xf9275519 0xc9d67e73
            i32x4.extend_high_i16x8_u
            i16x8.extadd_pairwise_i8x16_s
            i16x8.bitmask
            i32.extend16_s
            v128.load8_splat offset=317620880
            memory.size 1
            br_table 1 (;@3;) 2 (;@2;) 3 (;@1;) 4 2 (;@2;)
            i64x2.abs
            i32x4.trunc_sat_f32x4_u
            i8x16.extract_lane_u 0
            i64.load16_s offset=81855688
            block (type 0) ;; label = @5
              data.drop 0
              br 5
              table.size 0
              v128.load8x8_s 1 offset=21224 align=2
              i32x4.trunc_sat_f32x4_u
              i64.const 803819781025200577
              call 4
              f64.const -nan:0xffffffff00000 (;=NaN;)
              table.size 0
              i32.load8_u offset=327787550
              i32.load offset=315381492 align=1
              i32.load16_u 1 offset=47424 align=1
              br_if 5
              memory.size
              v128.load32x2_u 1 offset=40422 align=2
              f32x4.neg
              f32x4.convert_i32x4_u
              i32x4.abs
              i64x2.extend_high_i32x4_s
              block (type 4) ;; label = @6
                loop ;; label = @7
                  memory.size 1
                  v128.load64_zero offset=192908149 align=4
                  f32x4.demote_f64x2_zero
                  i8x16.all_true
                  i32.load8_u 1 offset=28040
                  i8x16.splat
                  loop (type 4) ;; label = @8
                    table.size 0
                    i32.load 1 offset=524 align=2
                    v128.load32_splat 1 offset=32545 align=1
                    f64x2.ceil
                    i8x16.neg
                    i32x4.extend_low_i16x8_s
                    i32x4.extend_low_i16x8_u
                    i32x4.extadd_pairwise_i16x8_u
                    br 0 (;@8;)
                    table.size 0
                    i8x16.shr_u
                    i64x2.bitmask
                    block (type 4) ;; label = @9
                      i64.const -70368744177664
                      i32.wrap_i64
                      if (type 4) ;; label = @10
                      end
                      data.drop 0
                      f64.const -0x1.49247cd002b78p+1014 (;=-225714594136135400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000;)
                      return_call 0
                      i64.trunc_f64_s
                      f64.reinterpret_i64
                      memory.size
                      data.drop 0
                      ref.null extern
                      f64.const 0x1.p-1048 (;=0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000033156184;)
                      unreachable
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
          end
          unreachable
        end
        unreachable
      end
      unreachable
    end
    unreachable
  )
  (func (;1;) (type 1) (param i32) (result i32)
    unreachable
  )
  (func (;2;) (type 2) (param i32 i32) (result i64)
    unreachable
  )
  (func (;3;) (type 3) (param i32 i32) (result i64)
    unreachable
  )
  (func (;4;) (type 4))
  (data (;0;) (i32.const 243044) "m$")
  (@custom "divvy.manifest" (after data) "{\22abi\22: \221.0\22, \22name\22: \22drawn\22}")
)
