// Tests of what a strategy sees and says: readers of topics, owners before, Kafka's order, copies, limits of lines, and how it fails.

package divvy

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// Two topics (a: 2 partitions, b: 1) and members m and n; m reads both, by bits, n reads b, by a range.
const small = "\x9c\x00\x07\x94\xa1g\x01\xa5range\xa5eager\x80" +
	"\x92\x93\xa1a\x02\x00\x93\xa1b\x01\x00" +
	"\x92\xc4\x01\x03\x91\x92\x01\x01" +
	"\x92\x97\xa1m\xc0\xa0\xc0\x00\xc0\x80\x97\xa1n\xa1i\xa0\x00\x01\xc4\x00\x80" +
	"\x91\xa1r" +
	"\xc4\x0c\x01\x00\x09\x00\xff\xff\x00\x00\x00\x00\x01\x00" + // two layers
	"\x81\xa3lag\xc4\x18\x05\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x01\x00\x00\x00\x00\x00\x00" +
	"\x2a\xc0"

func same(t *testing.T, found, wanted any) {
	t.Helper()
	if !reflect.DeepEqual(found, wanted) {
		t.Errorf("%v, wanted %v", found, wanted)
	}
}

func TestTheGroupIsWhatTheRequestSays(t *testing.T) {
	reply := Answer([]byte(small), func(group *Group, plan *Plan) error {
		same(t, group.Partitions, 3)
		same(t, group.Topics[1], Topic{"b", 1, 2})
		for member, reads := range [][]bool{{true, true}, {false, true}} {
			for topic, wanted := range reads {
				same(t, group.Subscribes(member, topic), wanted)
			}
		}
		for layer, owners := range [][]int{{1, Nobody, Nobody, Nobody}, {0, 0, 1, Nobody}, {Nobody}} {
			for partition, wanted := range owners {
				same(t, group.OwnerBefore(layer, partition), wanted)
			}
		}
		lag, known := group.Lag(2)
		same(t, []any{lag, known}, []any{uint64(256), true})
		_, known = group.Lag(1)
		same(t, known, false)
		same(t, group.Column("weight") == nil, true)
		same(t, []int{group.Members[0].Rack, group.Members[1].Rack}, []int{-1, 0})
		same(t, [][]byte{group.Members[0].UserData, group.Members[1].UserData}, [][]byte{nil, {}})
		same(t, group.KafkasOrder(), []int{1, 0})
		return nil
	})
	same(t, string(reply), "\x93\x00\x95\xcd\x00\x01\xc6\x00\x00\x00\x06\xff\xff\xff\xff\xff\xff\xc0\xc0\xc0\x90")
}

func TestEverythingThatCanBeSaid(t *testing.T) {
	reply := Answer([]byte(small), func(group *Group, plan *Plan) error {
		plan.SetCopies(2)
		plan.Give(0, 1)
		plan.GiveCopy(1, 2, 0)
		plan.Tell(1, []byte("hi"))
		plan.Remember([]byte("m"))
		plan.CallAgainMs(300)
		plan.Note(Warn, "\xff")
		return nil
	})
	same(t, string(reply), "\x93\x00\x95\xcd\x00\x02\xc6\x00\x00\x00\x0c\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00"+
		"\x92\xc0\xc4\x02hi\xc4\x01m\xcd\x01\x2c\x91\x92\xa4warn\xa1?")
}

func TestRefusals(t *testing.T) {
	no := func(why error) string { return string(Answer([]byte(small), func(*Group, *Plan) error { return why })) }
	same(t, no(errors.New("so")), "\x93\x01\x94\xa7refused\xa2so\xc2\xc0\x90")
	same(t, no(&Refusal{Code: "c", Message: "m", Retriable: true, About: 1}), "\x93\x01\x94\xa1c\xa1m\xc3\x01\x90")
}

func TestLinesAreKeptUpToTheirLimits(t *testing.T) {
	var said Outcome
	for range 70 {
		said.Note(Info, "x")
	}
	same(t, len(said.lines), 64)
	said = Outcome{}
	half := strings.Repeat("x", 8188)
	said.Note(Info, half)
	said.Note(Info, half)
	same(t, len(said.lines), 2) // 16 KiB are kept,
	said.Note(Info, "")
	same(t, len(said.lines), 2) // a byte more is not
}

func TestTheLargestGroupIsPlannedAndNoLargerOne(t *testing.T) {
	of := func(partitions string) []byte { // and nobody
		request := "\x9c\x00\x07\x94\xa1g\x01\xa5range\xa5eager\x80\x91\x93\xa1a\xce" + partitions + "\x00\x90\x90\x90\xc4\x00\x80\x2a\xc0"
		return Answer([]byte(request), func(*Group, *Plan) error { return nil })
	}
	same(t, len(of("\x01\x00\x00\x00")), 11+2<<24+4)
	for _, tooMany := range []string{"\x01\x00\x00\x01", "\xff\xff\xff\xff"} {
		same(t, strings.HasPrefix(string(of(tooMany)), "\x93\x01\x94\xabbad_request"), true)
	}
}

func TestWhatCannotBeEndsTheCall(t *testing.T) {
	for words, strategy := range map[string]Strategy{
		"a partition of another group":       func(group *Group, plan *Plan) error { plan.Give(group.Partitions, 0); return nil },
		"an index beyond the members":        func(group *Group, plan *Plan) error { plan.Give(0, len(group.Members)); return nil },
		"a number of copies that is no plan": func(group *Group, plan *Plan) error { plan.SetCopies(0); return nil },
	} {
		func() {
			defer func() { same(t, recover(), any(words)) }()
			Answer([]byte(small), strategy)
		}()
	}
}
