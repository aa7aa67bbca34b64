;; call trap: divvy_alloc stopped with wasm trap: wasm `unreachable` instruction executed
;; Drawn by wasm-smith from seed 41 of 700 bytes (tests/fuzz/examples/modules.rs).
(module
  (type (;0;) (func (param v128 i32)))
  (type (;1;) (func (result f32)))
  (type (;2;) (func))
  (type (;3;) (func (param i32) (result i32)))
  (type (;4;) (func (param i32 i32) (result i64)))
  (type (;5;) (func (param i32 i32) (result i64)))
  (type (;6;) (func))
  (table (;0;) 11 714327 funcref)
  (memory (;0;) 1 4)
  (global (;0;) v128 v128.const i32x4 0x508b05e3 0x0a34e6f2 0xdd5412d9 0xce0a32af)
  (global (;1;) v128 v128.const i32x4 0x7f38cc8b 0x1aa46a99 0x96431f2a 0xbafc34fa)
  (export "memory" (memory 0))
  (export "divvy_abi_v1" (func 4))
  (export "divvy_alloc" (func 5))
  (export "divvy_assign" (func 6))
  (export "divvy_user_data" (func 7))
  (export "_initialize" (func 8))
  (elem (;0;) (table 0) (i32.const 0) func)
  (func (;0;) (type 1) (result f32)
    loop (type 6) ;; label = @1
      block (type 2) ;; label = @2
        loop ;; label = @3
          br 1 (;@2;)
          memory.size
          call 5
          i64.load16_u offset=16937 align=1
          f64.convert_i64_s
          elem.drop 0
          i32.const 1333139132
          v128.load32x2_u offset=60084 align=4
          return_call 0
          v128.const i32x4 0xb8468efa 0x206f8f36 0x01e61e48 0x54c3ce24
          f32x4.convert_i32x4_u
          loop ;; label = @4
            memory.size
            i64.const 6233028959389697692
            call 2
            f32.sqrt
            f32.const -0x0p+0 (;=-0;)
            f64.const 0x1.3db3cf2c0f2e1p-660 (;=0.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002594079995776382;)
            f64.abs
            i32.trunc_sat_f64_s
            i64.load16_s offset=53151 align=1
            f64.const 0x1.fffffcp-1052 (;=0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000041445225;)
            i32.trunc_f64_s
            return_call_indirect (type 1)
            block (type 6) ;; label = @5
              v128.const i32x4 0x68c9e690 0x13481148 0x6bd882f7 0xf7fb4993
              i16x8.extend_high_i8x16_u
              i16x8.extend_low_i8x16_u
              global.get 0
              br 4 (;@1;)
              i8x16.le_s
              call 0
              global.get 0
              f64.const 0x1.ffffffffffp-1034 (;=0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000010864618449737;)
              i32.trunc_f64_u
              i16x8.shl
              f64.const 0x1.61ab333f1de24p-352 (;=0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000015059073371902803;)
              f32.demote_f64
              f32.abs
              f32.ceil
              f32.sqrt
              f32.floor
              return_call 0
              memory.size
              i32.load offset=42060 align=1
              i32.popcnt
              return_call 0
              i32.trunc_sat_f32_u
              i32.eqz
              i32.ge_u
              i32.const 127
              i64.load offset=29424
              i64.extend16_s
              block (type 6) ;; label = @6
                global.get 1
                i64x2.extend_low_i32x4_u
                i32x4.neg
                call 2
                f64.promote_f32
                f32.const -0x1.e72fcap+26 (;=-127713064;)
                return_call 2
                return_call 0
                elem.drop 0
                block (result i32) ;; label = @7
                  v128.const i32x4 0x97ef748e 0xfb75b8af 0x38d372ed 0xb438f6c6
                  i8x16.extract_lane_u 14
                  v128.load8x8_s offset=23020 align=1
                  i8x16.neg
                  i32x4.neg
                  i8x16.neg
                  i32x4.trunc_sat_f64x2_s_zero
                  i16x8.bitmask
                  v128.load64_splat offset=10375
                  f32x4.floor
                  f64x2.ceil
                  f32.const -0x1p+1 (;=-2;)
                  i32.reinterpret_f32
                  i64.load offset=212338
                  loop (type 1) (result f32) ;; label = @8
                    global.get 0
                    i32x4.trunc_sat_f64x2_u_zero
                    data.drop 1
                    i64x2.extend_low_i32x4_u
                    i32.const 765086620
                    i32x4.replace_lane 3
                    f64.const 0x1.e965daa165eedp-806 (;=0.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000044796656634294177;)
                    f64.floor
                    call 2
                    i64.trunc_f32_u
                    i64.extend8_s
                    v128.const i32x4 0x8dc10ae6 0xe8afefbc 0x59d7ac7e 0x180da597
                    i64x2.neg
                    f64x2.nearest
                    i32x4.trunc_sat_f32x4_s
                    i16x8.extadd_pairwise_i8x16_s
                    f64x2.promote_low_f32x4
                    i32x4.all_true
                    v128.load16x4_s offset=65435 align=2
                    i16x8.neg
                    f32x4.convert_i32x4_s
                    v128.not
                    i16x8.abs
                    block (result i32) ;; label = @9
                      elem.drop 0
                      call 2
                      i64.const -2153585657778653051
                      br 7 (;@2;)
                      i32.const 36
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
      end
    end
    unreachable
  )
  (func (;1;) (type 0) (param v128 i32))
  (func (;2;) (type 1) (result f32)
    unreachable
  )
  (func (;3;) (type 0) (param v128 i32))
  (func (;4;) (type 2))
  (func (;5;) (type 3) (param i32) (result i32)
    unreachable
  )
  (func (;6;) (type 4) (param i32 i32) (result i64)
    unreachable
  )
  (func (;7;) (type 5) (param i32 i32) (result i64)
    unreachable
  )
  (func (;8;) (type 6))
  (data (;0;) "")
  (data (;1;) (i32.const 9696) "\fb")
  (data (;2;) "")
  (data (;3;) (i32.const 0) "\0a")
  (@custom "divvy.manifest" (after data) "{\22abi\22: \221.0\22, \22name\22: \22drawn\22}")
)
