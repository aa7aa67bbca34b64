// The group as a strategy sees it, and what it can be asked.

package divvy

import (
	"encoding/binary"
	"sort"
)

// Nobody is the owner of a partition that nobody has.
const Nobody = -1

const unknownLag = 1<<64 - 1

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
