// The reference strategy of tests/abi for states: gives the same bytes as guest-sdk/examples/parts.rs, which says what it does.
package main

import (
	"strconv"
	"strings"

	"divvy-go/divvy"
)

func init() { divvy.UseStates(parts) }

func main() {}

func isIdle(member divvy.StateMember) bool { return string(member.Metadata) == "idle" }

func parts(group *divvy.StateGroup, states *divvy.States) error {
	if why, there := group.Config.Text("refuse"); there {
		refusal := divvy.Refuse("asked_to", why)
		refusal.Retriable, refusal.About = true, len(group.Members)-1 // -1: nobody
		return refusal
	}
	var active []int
	for _, member := range group.KafkasOrder() {
		if !isIdle(group.Members[member]) {
			active = append(active, member)
		}
	}
	count := uint64(len(active))
	for position, member := range active {
		part := (group.Seed%count+uint64(position))%count + 1
		state := []byte(strconv.FormatUint(part, 10) + "/" + strconv.FormatUint(count, 10) + ":")
		state = append(state, group.Members[member].Metadata...)
		if group.Context != nil {
			state = append(append(state, ':'), group.Context...)
		}
		states.Give(member, state)
	}
	if explains, _ := group.Config.Flag("explain"); explains {
		states.Note(divvy.Debug, "generation "+strconv.FormatUint(uint64(uint32(group.Generation)), 10))
		states.Note(divvy.Info, group.ID+" "+group.Protocol)
		states.Note(divvy.Warn, "now "+strconv.FormatUint(uint64(group.NowMs), 10))
		first := ""
		if len(group.Members) > 0 {
			first = string(group.Members[0].Metadata)
		}
		states.Note(divvy.Info, first)
	}
	states.Remember(group.Memo)
	if ms, there := group.Config.Number("again_ms"); there && ms >= 0 && ms <= 1e15 {
		states.CallAgainMs(uint64(ms))
	}
	return nil
}

func told(me *divvy.Me) ([]byte, error) {
	if why, there := me.Config.Text("refuse"); there {
		return nil, divvy.Refuse("asked_to", why)
	}
	if mute, _ := me.Config.Flag("mute"); mute {
		return nil, nil
	}
	zone, _ := me.Facts.Text("zone")
	data := me.Group + "/" + me.Protocol + ":" + strings.Join(me.Topics, ",") + ";" + zone + ";"
	return []byte(data + string(me.LastState) + ";" + strconv.FormatUint(uint64(me.NowMs), 10)), nil
}

func judged(group *divvy.StateGroup, states [][]byte) error {
	for at, member := range group.Members {
		if isIdle(member) == (len(states[at]) == 0) {
			continue
		}
		refusal := divvy.Refuse("idle", "a part for nobody")
		if len(states[at]) == 0 {
			refusal = divvy.Refuse("lost", "a member without a part")
		}
		refusal.About = at
		return refusal
	}
	return nil
}
