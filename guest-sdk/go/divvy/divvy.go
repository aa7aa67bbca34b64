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
// prints becomes diagnostics, and a panic's text reaches the operator. The manifest is stamped in afterwards (manifest.json).
//
// The request is read in place, MessagePack by position; items that a later minor version appends are passed over. A request that
// is not as ABI 1 says is refused for you, so every index in a Group points at something. In a text that you write, bytes that are no
// UTF-8 become question marks.
package divvy

import (
	"encoding/binary"
	"sort"
)

// Strategy makes a plan, or gives back why not: a *Refusal says more than another error.
type Strategy func(*Group, *Plan) error

// What divvy_assign does.
var answer func(request []byte) []byte

// Use makes a function the module's strategy. Call it in an init function: main is never called.
func Use(assign Strategy) { answer = func(request []byte) []byte { return Answer(request, assign) } }

// Nobody is the owner of a partition that nobody has.
const Nobody = -1

const (
	unknownLag    = 1<<64 - 1
	maxRequest    = 1 << 30
	maxPartitions = 1 << 24
	maxLayers     = 8
)

// NoRack in the column replica_racks: a replica without a rack, or none.
const NoRack = 0xffff

// Topic is a topic; its partition p has the dense index Base + p, the position in owner maps and columns.
type Topic struct {
	Name       string
	Partitions int
	Base       int
}

// Member is a member. Rack is an index into Racks, -1 for none; members with the same Subscription read the same topics.
type Member struct {
	ID, InstanceID, ClientID string
	IsStatic                 bool
	Rack                     int
	Subscription             int
	UserData                 []byte // nil for none
	Facts                    Values
}

// Group is what a plan is made for. Topics are in the order of their names, members in that of their ids.
type Group struct {
	Seed        uint64 // the only randomness that there is
	ID          string
	Generation  int32
	Protocol    string
	Cooperative bool
	Config      Values
	Topics      []Topic
	Partitions  int // of all topics
	Members     []Member
	Racks       []string
	NowMs       int64
	Memo        []byte // what the last plan asked to be remembered; nil for nothing

	subscriptions []subscription
	claims        []byte
	columns       map[string][]byte
	width         int // bytes of an owner: 2 or 4
}

// subscription is a set of topics: a bit for each, or ascending ranges, first and one past the last.
type subscription struct {
	bits   []byte
	ranges [][2]uint32
}

func (set *subscription) contains(topic int) bool {
	if set.bits != nil {
		return set.bits[topic/8]>>(topic%8)&1 == 1
	}
	after := sort.Search(len(set.ranges), func(at int) bool { return set.ranges[at][0] > uint32(topic) })
	return after > 0 && uint32(topic) < set.ranges[after-1][1]
}

// Subscribes says whether a member reads the topic with an index.
func (group *Group) Subscribes(member, topic int) bool {
	return group.subscriptions[group.Members[member].Subscription].contains(topic)
}

// ClaimLayers says how many owner maps the claims have.
func (group *Group) ClaimLayers() int {
	if group.Partitions == 0 {
		return 0
	}
	return len(group.claims) / (group.Partitions * group.width)
}

// OwnerBefore says who had a partition last, as far as anyone still knows: a member's index or Nobody. Layer 0 is the newest claim.
func (group *Group) OwnerBefore(layer, partition int) int {
	if layer >= group.ClaimLayers() || partition >= group.Partitions {
		return Nobody
	}
	at := group.claims[(layer*group.Partitions+partition)*group.width:]
	owner := uint32(binary.LittleEndian.Uint16(at))
	if group.width == 4 {
		owner = binary.LittleEndian.Uint32(at)
	}
	if int64(owner) >= int64(len(group.Members)) {
		return Nobody
	}
	return int(owner)
}

// Column is what the manifest needs by that name, nil if it is not there: the same number of bytes for each partition, little-endian.
func (group *Group) Column(name string) []byte { return group.columns[name] }

// Lag says how many records of a partition the group has not read; false where nobody knows.
func (group *Group) Lag(partition int) (uint64, bool) {
	column := group.columns["lag"]
	if column == nil {
		return 0, false
	}
	lag := binary.LittleEndian.Uint64(column[8*partition:])
	return lag, lag != unknownLag
}

// Refusal is why there is no plan: a short name for programs, a sentence for people.
type Refusal struct {
	Code, Message string
	Retriable     bool // the same group may get a plan later
	About         int  // the index of the member that is the reason, Nobody for none
}

// Refuse is a refusal about nobody.
func Refuse(code, message string) *Refusal {
	return &Refusal{Code: code, Message: message, About: Nobody}
}

func (refusal *Refusal) Error() string { return refusal.Code + ": " + refusal.Message }

// Level says how much a line matters.
type Level string

// The levels of lines.
const (
	Debug Level = "debug"
	Info  Level = "info"
	Warn  Level = "warn"
)

// Plan is who gets what. Partitions that are given to nobody have no owner.
type Plan struct {
	Outcome
	group  *Group
	reply  []byte
	copies int
	told   [][]byte
}

// Outcome is what may be said beside a plan of either shape.
type Outcome struct {
	memo      []byte
	again     bool
	againMs   uint64
	lines     []line
	lineBytes int
}

type line struct {
	level Level
	text  string
}

const headBytes = 11

func newPlan(group *Group) *Plan {
	plan := &Plan{group: group}
	plan.SetCopies(1)
	return plan
}

// SetCopies makes room for several owners of each partition, all nobody. Only for manifests with "copies": "many".
func (plan *Plan) SetCopies(copies int) {
	bytes := uint64(plan.group.Partitions) * uint64(plan.group.width) * uint64(copies)
	if copies < 1 || copies > 0xffff || bytes > maxRequest {
		panic("a number of copies that is no plan")
	}
	plan.copies = copies
	plan.reply = make([]byte, headBytes, headBytes+bytes+64)
	plan.reply = plan.reply[:headBytes+bytes]
	copy(plan.reply, []byte{0x93, 0x00, 0x95, 0xcd, byte(copies >> 8), byte(copies), 0xc6})
	binary.BigEndian.PutUint32(plan.reply[7:], uint32(bytes))
	owners := plan.reply[headBytes:]
	for at := range owners {
		owners[at] = 0xff
	}
}

// Give gives a partition, by its dense index, to a member.
func (plan *Plan) Give(partition, member int) { plan.GiveCopy(0, partition, member) }

// GiveCopy gives the owner of one copy; copy 0 is the primary.
func (plan *Plan) GiveCopy(copy, partition, member int) {
	group := plan.group
	if copy < 0 || copy >= plan.copies || partition < 0 || partition >= group.Partitions {
		panic("a partition of another group")
	}
	if member < 0 || member >= len(group.Members) {
		panic("an index beyond the members")
	}
	at := plan.reply[headBytes+(copy*group.Partitions+partition)*group.width:]
	if group.width == 2 {
		binary.LittleEndian.PutUint16(at, uint16(member))
	} else {
		binary.LittleEndian.PutUint32(at, uint32(member))
	}
}

// Tell gives user data for a member's assignment.
func (plan *Plan) Tell(member int, data []byte) {
	if plan.told == nil {
		plan.told = make([][]byte, len(plan.group.Members))
	}
	plan.told[member] = append([]byte{}, data...)
}

// Remember keeps bytes for the next call of this group: at most 64 KiB; nil for nothing.
func (plan *Outcome) Remember(memo []byte) { plan.memo = memo }

// CallAgainMs says when to make a new plan although nothing changed.
func (plan *Outcome) CallAgainMs(ms uint64) { plan.again, plan.againMs = true, ms }

// Note is a line for the log that explains the plan. Kept: 64 lines, 16 KiB.
func (plan *Outcome) Note(level Level, text string) {
	plan.lineBytes += len(level) + len(text)
	if len(plan.lines) < 64 && plan.lineBytes <= 16*1024 {
		plan.lines = append(plan.lines, line{level, text})
	}
}

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

func (plan *Plan) finish() []byte {
	to := plan.reply
	if plan.told == nil {
		to = append(to, 0xc0)
	} else {
		to = array(to, len(plan.told))
		for _, data := range plan.told {
			to = optionalData(to, data)
		}
	}
	return plan.Outcome.finish(to)
}

func (plan *Outcome) finish(to []byte) []byte {
	to = optionalData(to, plan.memo)
	if plan.again {
		to = unsigned(to, plan.againMs)
	} else {
		to = append(to, 0xc0)
	}
	return putLines(to, plan.lines)
}

// refuse says why not; of an error that is no refusal its words.
func refuse(err error, lines []line) []byte {
	why, isRefusal := err.(*Refusal)
	if !isRefusal {
		code := "refused"
		if _, isMalformed := err.(*malformed); isMalformed {
			code = "bad_request"
		}
		why = Refuse(code, err.Error())
	}
	to := text(text([]byte{0x93, 0x01, 0x94}, why.Code), why.Message)
	if why.Retriable {
		to = append(to, 0xc3)
	} else {
		to = append(to, 0xc2)
	}
	if why.About == Nobody {
		to = append(to, 0xc0)
	} else {
		to = unsigned(to, uint64(why.About))
	}
	return putLines(to, lines)
}
