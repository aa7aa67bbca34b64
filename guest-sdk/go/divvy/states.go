// Shape `states` and the optional exports: what they are given, and from a request to a reply.

package divvy

// StateStrategy gives each member its state, or gives back why not.
type StateStrategy func(*StateGroup, *States) error

// UseStates makes a function the strategy of a module of shape `states`.
func UseStates(assign StateStrategy) {
	answer = func(request []byte) []byte { return AnswerStates(request, assign) }
}

// StateMember is a member of a group of shape `states`; Metadata is what it sent when it joined, any bytes.
type StateMember struct {
	ID, InstanceID string
	IsStatic       bool
	Metadata       []byte
}

// StateGroup is a group whose members get bytes of the application's own. Members are in the order of their ids.
type StateGroup struct {
	Seed       uint64 // the only randomness that there is
	ID         string
	Generation int32
	Protocol   string
	Config     Values
	Context    []byte // whatever the application hands to its strategy; nil for nothing
	Members    []StateMember
	NowMs      int64
	Memo       []byte // what the last plan asked to be remembered; nil for nothing
}

// KafkasOrder gives the indexes of the members in Kafka's order: static ones by instance id, then the others by id.
func (group *StateGroup) KafkasOrder() []int {
	return kafkasOrder(len(group.Members), func(at int) (string, bool) {
		return group.Members[at].InstanceID, group.Members[at].IsStatic
	})
}

// States are a state for each member.
type States struct {
	Outcome
	states [][]byte
}

// Give gives a member a copy of its state. Who is given none gets zero bytes.
func (states *States) Give(member int, state []byte) {
	states.states[member] = append([]byte(nil), state...)
}

// Me is a member that is about to join.
type Me struct {
	Group, Protocol string
	Config          Values
	Topics          []string // what it subscribes to
	Facts           Values
	LastState       []byte // the state that it got last; nil for none
	NowMs           int64
}

// AnswerStates goes from a request of shape `states` to a reply.
func AnswerStates(request []byte, assign StateStrategy) []byte {
	group, err := readStates(request)
	if err != nil {
		return refuse(err, nil)
	}
	states := &States{states: make([][]byte, len(group.Members))}
	if err := assign(group, states); err != nil {
		return refuse(err, states.lines)
	}
	size := 64
	for _, state := range states.states {
		size += len(state) + 5
	}
	to := array(append(make([]byte, 0, size), 0x93, 0x00, 0x93), len(states.states))
	for _, state := range states.states {
		to = data(to, state)
	}
	return states.finish(to)
}

// AnswerUserData goes from a request of divvy_user_data to a reply.
func AnswerUserData(request []byte, make func(*Me) ([]byte, error)) []byte {
	me, err := readMe(request)
	if err != nil {
		return refuse(err, nil)
	}
	data, err := make(me)
	if err != nil {
		return refuse(err, nil)
	}
	return putLines(optionalData([]byte{0x93, 0x00}, data), nil)
}

// AnswerCheck goes from a request of divvy_check to a reply.
func AnswerCheck(request []byte, judge func(*StateGroup, [][]byte) error) []byte {
	group, states, err := readCheck(request)
	if err == nil {
		err = judge(group, states)
	}
	if err != nil {
		return refuse(err, nil)
	}
	return []byte{0x93, 0x00, 0xc0, 0x90}
}

func readStates(request []byte) (*StateGroup, error) {
	from, head := &Reader{bytes: request}, &Group{}
	tail := from.fields(8, "a request of 8 items")
	head.readHead(from)
	group := &StateGroup{
		Seed: head.Seed, ID: head.ID, Generation: head.Generation, Protocol: head.Protocol, Config: head.Config,
		Context: from.optionalBinary("a context or nil"),
	}
	count := from.Array("members")
	group.Members = make([]StateMember, 0, min(count, len(from.bytes)/4+1))
	for at := 0; at < count && from.err == nil; at++ {
		member := StateMember{}
		rest := from.fields(3, "a member of 3 items")
		member.ID = from.Text("a member's id")
		if !from.Nil() {
			member.InstanceID, member.IsStatic = from.Text("an instance id or nil"), true
		}
		member.Metadata = from.Binary("a member's metadata")
		from.Skip(rest)
		if at > 0 && member.ID <= group.Members[at-1].ID {
			from.no(from.at, "members in ascending order of their ids")
		}
		group.Members = append(group.Members, member)
	}
	group.NowMs = from.Signed("the wall clock")
	group.Memo = from.optionalBinary("a memo or nil")
	return group, from.finish(tail)
}

func readMe(request []byte) (*Me, error) {
	from, me := &Reader{bytes: request}, &Me{}
	tail := from.fields(8, "a request of 8 items")
	from.Unsigned("the minor version")
	me.Group, me.Protocol = from.Text("the group's id"), from.Text("the protocol")
	me.Config = from.Values("the configuration")
	for left := from.Array("topics"); left > 0; left-- {
		me.Topics = append(me.Topics, from.Text("a topic's name"))
	}
	me.Facts = from.Values("facts")
	me.LastState = from.optionalBinary("the last state or nil")
	me.NowMs = from.Signed("the wall clock")
	return me, from.finish(tail)
}

// readCheck reads a plan to judge: the request that it was made for, and its states in the order of that request's members.
func readCheck(request []byte) (*StateGroup, [][]byte, error) {
	from := &Reader{bytes: request}
	tail := from.fields(2, "a request of 2 items")
	group, err := readStates(from.Binary("the request that the plan was made for"))
	if err != nil {
		return nil, nil, err
	}
	states := make([][]byte, from.Array("states"))
	for at := range states {
		states[at] = from.Binary("a state")
	}
	if len(states) != len(group.Members) {
		from.no(from.at, "one state for each member")
	}
	return group, states, from.finish(tail)
}
