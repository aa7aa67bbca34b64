// From the bytes of a request to a Group, in which nothing has to be checked again.

package divvy

import (
	"math"
	"sort"
)

// read reads a request; what comes back is consistent.
func read(request []byte) (*Group, error) {
	from, group := &Reader{bytes: request}, &Group{}
	tail := from.fields(12, "a request of 12 items")
	group.readHead(from)
	group.readTopics(from)
	group.subscriptions = make([]subscription, from.Array("subscriptions"))
	for at := range group.subscriptions {
		group.subscriptions[at] = readSubscription(from, len(group.Topics))
		if from.err != nil {
			return nil, from.err
		}
	}
	group.readMembers(from)
	group.Racks = make([]string, from.Array("racks"))
	for at := range group.Racks {
		group.Racks[at] = from.Text("a rack's name")
	}
	for _, member := range group.Members {
		if member.Subscription >= len(group.subscriptions) || member.Rack >= len(group.Racks) {
			from.no(from.at, "subscription and rack indexes of members within their tables")
		}
	}
	group.claims = from.Binary("claims")
	layer := group.Partitions * group.width
	if layer == 0 && len(group.claims) > 0 || layer > 0 && (len(group.claims)%layer != 0 || len(group.claims) > maxLayers*layer) {
		from.no(from.at, "claims of at most 8 whole owner maps")
	}
	group.readColumns(from)
	group.NowMs = from.Signed("the wall clock")
	group.Memo = from.optionalBinary("a memo or nil")
	return group, from.finish(tail)
}

func (group *Group) readHead(from *Reader) {
	from.Unsigned("the minor version")
	group.Seed = from.Unsigned("the seed")
	tail := from.fields(4, "a group of 4 items")
	group.ID = from.Text("the group's id")
	generation := from.Signed("the generation")
	if generation < math.MinInt32 || generation > math.MaxInt32 {
		from.no(from.at, "a generation")
	}
	group.Generation = int32(generation)
	group.Protocol = from.Text("the protocol")
	mode := from.Text("the mode")
	group.Cooperative = mode == "cooperative"
	if !group.Cooperative && mode != "eager" {
		from.no(from.at, "the mode eager or cooperative")
	}
	from.Skip(tail)
	group.Config = from.Values("the configuration")
}

func (group *Group) readTopics(from *Reader) {
	count := from.Array("topics")
	group.Topics = make([]Topic, 0, count)
	before := ""
	for at := 0; at < count && from.err == nil; at++ {
		tail := from.fields(3, "a topic of 3 items")
		name, partitions := from.Text("a topic's name"), from.unsigned32("a partition count")
		from.Unsigned("a topic's flags")
		from.Skip(tail)
		if partitions > uint32(maxPartitions-group.Partitions) {
			from.no(from.at, "at most 16,777,216 partitions")
			return
		}
		if at > 0 && name <= before {
			from.no(from.at, "topics in ascending order of their names")
		}
		group.Topics = append(group.Topics, Topic{name, int(partitions), group.Partitions})
		group.Partitions += int(partitions)
		before = name
	}
}

func readSubscription(from *Reader, topics int) (set subscription) {
	look := *from
	if bits := look.Binary("a bit set"); look.err == nil {
		from.at = look.at
		if len(bits) != (topics+7)/8 {
			from.no(from.at, "a bit set with a bit for each topic")
		}
		return subscription{bits: bits}
	}
	count := from.Array("ranges of topics or a bit set")
	set.ranges = make([][2]uint32, 0, count)
	past := uint64(0)
	for at := 0; at < count && from.err == nil; at++ {
		tail := from.fields(2, "a range of topics")
		start := uint64(from.unsigned32("a range's start"))
		end := start + uint64(from.unsigned32("a range's length"))
		from.Skip(tail)
		if start < past || end > uint64(topics) {
			from.no(from.at, "ascending ranges within the topics")
		}
		past = end
		set.ranges = append(set.ranges, [2]uint32{uint32(start), uint32(end)})
	}
	return set
}

// KafkasOrder gives the indexes of the members in Kafka's order: static ones by instance id, then the others by id.
func (group *Group) KafkasOrder() []int {
	return kafkasOrder(len(group.Members), func(at int) (string, bool) {
		return group.Members[at].InstanceID, group.Members[at].IsStatic
	})
}

func kafkasOrder(count int, instance func(int) (string, bool)) []int {
	order := make([]int, count)
	for at := range order {
		order[at] = at
	}
	sort.SliceStable(order, func(a, b int) bool {
		first, isStatic := instance(order[a])
		second, isStaticToo := instance(order[b])
		return isStatic && (!isStaticToo || first < second)
	})
	return order
}

func (group *Group) readMembers(from *Reader) {
	count := from.Array("members")
	group.Members = make([]Member, 0, min(count, len(from.bytes)/8+1))
	for at := 0; at < count && from.err == nil; at++ {
		member := Member{Rack: -1}
		tail := from.fields(7, "a member of 7 items")
		member.ID = from.Text("a member's id")
		if !from.Nil() {
			member.InstanceID, member.IsStatic = from.Text("an instance id or nil"), true
		}
		member.ClientID = from.Text("a client id")
		if !from.Nil() {
			member.Rack = index(from.unsigned32("a rack's index or nil"))
		}
		member.Subscription = index(from.unsigned32("a subscription's index"))
		member.UserData = from.optionalBinary("user data or nil")
		member.Facts = from.Values("facts")
		from.Skip(tail)
		if at > 0 && member.ID <= group.Members[at-1].ID {
			from.no(from.at, "members in ascending order of their ids")
		}
		group.Members = append(group.Members, member)
	}
	group.width = 2
	if len(group.Members) > 65534 {
		group.width = 4
	}
}

// index is a number that an int holds on any machine; one that is too large is beyond every table.
func index(number uint32) int { return int(min(number, math.MaxInt32)) }

func (group *Group) readColumns(from *Reader) {
	count := from.Map("columns")
	group.columns = make(map[string][]byte)
	for at := 0; at < count && from.err == nil; at++ {
		name, column := from.Text("a column's name"), from.Binary("a column")
		step := group.Partitions
		if name == "replica_racks" {
			step *= 2
		}
		if step == 0 && len(column) > 0 || step > 0 && len(column)%step != 0 {
			from.no(from.at, "columns with the same number of bytes for each partition")
		}
		if name == "lag" && len(column) != 8*group.Partitions {
			from.no(from.at, "a column of lags with eight bytes for each partition")
		}
		if _, twice := group.columns[name]; !twice {
			group.columns[name] = column
		}
	}
}
