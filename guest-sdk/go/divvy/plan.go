// What a strategy answers: who gets what, what is said beside it, or why not.

package divvy

import "encoding/binary"

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
