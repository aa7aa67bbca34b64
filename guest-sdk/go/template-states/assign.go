// {{name}}: tells each member which part of how many is its own.
package main

import (
	"strconv"

	"{{name}}/divvy"
)

func init() { divvy.UseStates(assign) }

func main() {}

func standsBy(member divvy.StateMember) bool { return string(member.Metadata) == "standby" }

// A state is whatever bytes the application understands; here `2/3`: the second of three. Who joined with `standby` gets no part.
func assign(group *divvy.StateGroup, states *divvy.States) error {
	active, place := 0, 0
	for _, member := range group.Members {
		if !standsBy(member) {
			active++
		}
	}
	for _, member := range group.KafkasOrder() {
		if standsBy(group.Members[member]) {
			states.Give(member, []byte("standby"))
			continue
		}
		place++
		states.Give(member, []byte(strconv.Itoa(place)+"/"+strconv.Itoa(active)))
	}
	return nil
}
