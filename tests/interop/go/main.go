// One member of a group, made of an unmodified Go client (see ../README.md).
//
// usage: member franz-go|sarama SERVER GROUP TOPIC NAME STRATEGY [INSTANCE]
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	session   = 30 * time.Second
	heartbeat = 500 * time.Millisecond
	answer    = 20 * time.Second
)

// seat is who joins what.
type seat struct {
	server, group, topic, name, strategy, instance string
}

// member is what every client can do.
type member interface {
	commit(partition int32, offset int64) error
	fetch(partition int32) (int64, error)
	leave() error
}

var clients = map[string]func(seat, *owner) (member, error){
	"franz-go": joinFranz,
	"sarama":   joinSarama,
}

func main() {
	log.SetFlags(log.Ltime | log.Lmicroseconds)
	words := os.Args[1:]
	if len(words) < 6 {
		log.Fatal("usage: member CLIENT SERVER GROUP TOPIC NAME STRATEGY [INSTANCE]")
	}
	mine := seat{server: words[1], group: words[2], topic: words[3], name: words[4], strategy: words[5]}
	if len(words) > 6 {
		mine.instance = words[6]
	}
	join, known := clients[words[0]]
	if !known {
		log.Fatalf("there is no client %s", words[0])
	}
	joined, err := join(mine, &owner{partitions: map[int32]bool{}})
	if err != nil {
		log.Fatal(err)
	}
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		if words := strings.Fields(input.Text()); words[0] == "leave" {
			break
		} else if err := obey(joined, words); err != nil {
			say(map[string]any{"event": "failed", "reason": fmt.Sprintf("%s: %v", input.Text(), err)})
		}
	}
	if err := joined.leave(); err != nil {
		log.Fatal(err)
	}
	say(map[string]any{"event": "left"})
}

func obey(joined member, words []string) error {
	partition, err := strconv.ParseInt(words[1], 10, 32)
	if err != nil {
		return err
	}
	switch words[0] {
	case "commit":
		offset, err := strconv.ParseInt(words[2], 10, 64)
		if err != nil {
			return err
		}
		if err := joined.commit(int32(partition), offset); err != nil {
			return err
		}
		say(map[string]any{"event": "committed", "partition": partition, "offset": offset})
	case "fetch":
		offset, err := joined.fetch(int32(partition))
		if err != nil {
			return err
		}
		say(map[string]any{"event": "fetched", "partition": partition, "offset": offset})
	default:
		return fmt.Errorf("there is no command %s", words[0])
	}
	return nil
}

// owner keeps what a member owns, and tells of every change.
type owner struct {
	lock        sync.Mutex
	partitions  map[int32]bool
	assignments int
}

func (o *owner) assigned(partitions ...int32) {
	o.lock.Lock()
	o.assignments++
	o.lock.Unlock()
	o.claimed(partitions...)
}

// claimed adds to what was assigned before.
func (o *owner) claimed(partitions ...int32) {
	o.lock.Lock()
	defer o.lock.Unlock()
	for _, partition := range partitions {
		o.partitions[partition] = true
	}
	o.tell()
}

func (o *owner) revoked(partitions ...int32) {
	o.lock.Lock()
	defer o.lock.Unlock()
	for _, partition := range partitions {
		delete(o.partitions, partition)
	}
	o.tell()
}

func (o *owner) tell() {
	partitions := make([]int32, 0, len(o.partitions))
	for partition := range o.partitions {
		partitions = append(partitions, partition)
	}
	slices.Sort(partitions)
	say(map[string]any{"event": "owns", "partitions": partitions, "assignments": o.assignments})
}

var stdout sync.Mutex

func say(event map[string]any) {
	stdout.Lock()
	defer stdout.Unlock()
	event["at"] = float64(time.Now().UnixMicro()) / 1e6
	if err := json.NewEncoder(os.Stdout).Encode(event); err != nil {
		log.Fatal(err)
	}
}
