// The reference strategy of tests/abi: gives the same bytes as guest-sdk/examples/even.rs, which says what it does.
package main

import (
	"strconv"

	"divvy-go/divvy"
)

func init() { divvy.Use(even) }

func main() {}

func even(group *divvy.Group, plan *divvy.Plan) error {
	if why, there := group.Config.Text("refuse"); there {
		refusal := divvy.Refuse("asked_to", why)
		refusal.Retriable, refusal.About = true, len(group.Members)-1 // -1: nobody
		return refusal
	}
	keeps, _ := group.Config.Flag("keep")
	for t, topic := range group.Topics {
		var readers []int
		for member := range group.Members {
			if group.Subscribes(member, t) {
				readers = append(readers, member)
			}
		}
		if len(readers) == 0 {
			continue
		}
		first := int(group.Seed % uint64(len(readers)))
		for p := topic.Base; p < topic.Base+topic.Partitions; p++ {
			if before := group.OwnerBefore(0, p); keeps && before != divvy.Nobody && group.Subscribes(before, t) {
				plan.Give(p, before)
			} else {
				plan.Give(p, readers[(first+p)%len(readers)])
			}
		}
	}
	if group.Column("lag") != nil {
		sum := uint64(0)
		for p := range group.Partitions {
			if lag, known := group.Lag(p); known {
				sum += lag
			}
		}
		plan.Note(divvy.Info, "lag "+strconv.FormatUint(sum, 10))
	}
	if told, there := group.Config.Text("tell"); there {
		for member := 0; member < len(group.Members); member += 2 {
			plan.Tell(member, []byte(told))
		}
	}
	plan.Remember(group.Memo)
	if ms, there := group.Config.Number("again_ms"); there && ms >= 0 && ms <= 1e15 {
		plan.CallAgainMs(uint64(ms))
	}
	return nil
}
