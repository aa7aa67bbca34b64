// Package divvy: write an assignment strategy for divvy in Go.
//
//	func init() { divvy.Use(assign) }
//	func main() {}
//	func assign(group *divvy.Group, plan *divvy.Plan) error { ...; return nil }
//
// Of shape `states` ("shape": "states" in the manifest) UseStates takes the place of Use, with a function of a *StateGroup and *States.
// The optional exports are written where the strategy is, since a module has what it exports:
//
//	//go:wasmexport divvy_user_data
//	func userData(at, length uint32) uint64 { return divvy.UserData(at, length, weightOf) }
//
//	//go:wasmexport divvy_check
//	func check(at, length uint32) uint64 { return divvy.Check(at, length, judge) }
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags=-s -o mine.wasm .
//
// Go's runtime needs ten functions of WASI, so a host takes the module only where its operator names it (--wasi-shim). It gets a
// clock that counts its own looks and dice that the request's seed decides: a strategy stays a function of its request. What it
// prints (println) becomes diagnostics, and a panic's text reaches the operator. A module that imports fmt, log, os, time or
// encoding/json is refused, since they need files; errors, strconv, strings, sort and slices do not. The manifest is stamped in afterwards (manifest.json).
//
// The request is read in place, MessagePack by position; items that a later minor version appends are passed over. A request that
// is not as ABI 1 says is refused for you, so every index in a Group points at something. In a text that you write, bytes that are no
// UTF-8 become question marks.
//
// Compiled for your own machine it is the same without exports: Answer goes from a request's bytes to a reply's, in ordinary tests.
// `divvy assignor run --request FILE` writes the request of a case.
package divvy

// Strategy makes a plan, or gives back why not: a *Refusal says more than another error.
type Strategy func(*Group, *Plan) error

// What divvy_assign does.
var answer func(request []byte) []byte

// Use makes a function the module's strategy. Call it in an init function: main is never called.
func Use(assign Strategy) { answer = func(request []byte) []byte { return Answer(request, assign) } }

const (
	maxRequest    = 1 << 30
	maxPartitions = 1 << 24
	maxLayers     = 8
)

// Answer goes from a request to a reply: what divvy_assign does, for tests as well.
func Answer(request []byte, assign Strategy) []byte {
	group, err := read(request)
	if err != nil {
		return refuse(err, nil)
	}
	plan := newPlan(group)
	if err := assign(group, plan); err != nil {
		return refuse(err, plan.lines)
	}
	return plan.finish()
}
