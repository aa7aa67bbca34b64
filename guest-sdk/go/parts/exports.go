// The optional exports of parts: a module has what it exports, and natively there is nothing to export.

//go:build wasm

package main

import "divvy-go/divvy"

//go:wasmexport divvy_user_data
func userData(at, length uint32) uint64 { return divvy.UserData(at, length, told) }

//go:wasmexport divvy_check
func check(at, length uint32) uint64 { return divvy.Check(at, length, judged) }
