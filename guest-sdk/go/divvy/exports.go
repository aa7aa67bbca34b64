// What a module has: its exports. Natively, in tests, there are none.

//go:build wasm

package divvy

import "unsafe"

// The request's buffer. An instance lives for one call, so there is one, and nothing is freed.
var buffer, reply []byte

//go:wasmexport divvy_abi_v1
func abi() {}

//go:wasmexport divvy_alloc
func alloc(length uint32) uint32 {
	if length > maxRequest {
		return 0
	}
	buffer = make([]byte, uint64(length)+16)
	at := uint32(uintptr(unsafe.Pointer(&buffer[0])))
	shift := (16 - at%16) % 16
	buffer = buffer[shift : shift+length : shift+length]
	return at + shift
}

//go:wasmexport divvy_assign
func assign(at, length uint32) uint64 { return call(at, length, answer) }

// UserData is what the export divvy_user_data does: what a member adds to its metadata. It is nil for nothing.
func UserData(at, length uint32, make func(*Me) ([]byte, error)) uint64 {
	return call(at, length, func(request []byte) []byte { return AnswerUserData(request, make) })
}

// Check is what the export divvy_check does: it judges a plan of shape `states` before it is handed out, a state for each member.
func Check(at, length uint32, judge func(*StateGroup, [][]byte) error) uint64 {
	return call(at, length, func(request []byte) []byte { return AnswerCheck(request, judge) })
}

func call(at, length uint32, run func([]byte) []byte) uint64 {
	if length > uint32(len(buffer)) {
		panic("the request is not in the buffer that divvy_alloc gave")
	}
	reply = run(buffer[:length])
	return uint64(uintptr(unsafe.Pointer(&reply[0])))<<32 | uint64(len(reply))
}
