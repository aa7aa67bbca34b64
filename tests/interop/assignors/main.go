// How long franz-go's balancers take for a group that divvy's benchmark wrote to a file (tests/bench/assignors/peers.rs).
//
// usage: member FILE STRATEGY SECONDS
// Says, as JSON, the medians of deciding alone and of a leader's whole path, from the members' bytes to theirs.
package main

import (
	"encoding/binary"
	"encoding/json"
	"log"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

var balancers = map[string]func() kgo.GroupBalancer{
	"range":              kgo.RangeBalancer,
	"roundrobin":         kgo.RoundRobinBalancer,
	"sticky":             kgo.StickyBalancer,
	"cooperative-sticky": kgo.CooperativeStickyBalancer,
}

func main() {
	log.SetFlags(0)
	topics, members := read(os.Args[1])
	seconds, err := strconv.Atoi(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	var deciding, whole []time.Duration
	for end := time.Now().Add(time.Duration(seconds) * time.Second); ; {
		start := time.Now()
		balancer, _, err := balancers[os.Args[2]]().MemberBalancer(members)
		if err != nil {
			log.Fatal(err)
		}
		ready := time.Now()
		plan, err := balance(balancer, topics)
		if err != nil {
			log.Fatal(err)
		}
		decided := time.Now()
		plan.IntoSyncAssignment()
		deciding = append(deciding, decided.Sub(ready))
		whole = append(whole, time.Since(start))
		if time.Now().After(end) {
			break
		}
	}
	json.NewEncoder(os.Stdout).Encode(map[string]float64{"assign_ms": median(deciding), "whole_ms": median(whole)})
}

func balance(balancer kgo.GroupMemberBalancer, topics map[string]int32) (kgo.IntoSyncAssignment, error) {
	if balancer, ok := balancer.(kgo.GroupMemberBalancerOrError); ok {
		return balancer.BalanceOrError(topics)
	}
	return balancer.Balance(topics), nil
}

func read(file string) (map[string]int32, []kmsg.JoinGroupResponseMember) {
	bytes, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	number := func() uint32 {
		n := binary.BigEndian.Uint32(bytes)
		bytes = bytes[4:]
		return n
	}
	next := func() []byte {
		n := number()
		head := bytes[:n:n]
		bytes = bytes[n:]
		return head
	}
	topics := make(map[string]int32)
	for left := number(); left > 0; left-- {
		name := string(next())
		topics[name] = int32(number())
	}
	var members []kmsg.JoinGroupResponseMember
	for left := number(); left > 0; left-- {
		member := kmsg.NewJoinGroupResponseMember()
		member.MemberID = string(next())
		member.ProtocolMetadata = next()
		members = append(members, member)
	}
	return topics, members
}

func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2].Nanoseconds()) / 1e6
}
