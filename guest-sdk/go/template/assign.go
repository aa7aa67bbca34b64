// {{name}}: deals the partitions of all topics out like cards.
package main

import "{{name}}/divvy"

func init() { divvy.Use(assign) }

func main() {}

// Counted through all topics, so that members that read the same never differ by more than one partition.
func assign(group *divvy.Group, plan *divvy.Plan) error {
	for t, topic := range group.Topics {
		var readers []int
		for member := range group.Members {
			if group.Subscribes(member, t) {
				readers = append(readers, member)
			}
		}
		for p := topic.Base; len(readers) > 0 && p < topic.Base+topic.Partitions; p++ {
			plan.Give(p, readers[p%len(readers)])
		}
	}
	return nil
}
