"""One kind of client: joins, is assigned, commits and fetches an offset, sees a second member come and go, survives a
restart of the coordinator.

usage: one_client.py CLIENT SERVER GROUP TOPIC PARTITIONS
"""

import sys

from members import CLIENTS, again, ask, say, until


def main(client, server, group, topic, count):
    everything = set(range(int(count)))

    first = CLIENTS[client](server, group, topic)
    until("the first member to own everything", lambda: first.owned() == everything, [first])
    say("joined, and owns every partition")

    first.commit(topic, 0, 42)
    offset = first.committed(topic, 0)
    if offset != 42:
        sys.exit(f"committed 42, fetched {offset}")
    say("committed offset 42, and fetched it")

    second = CLIENTS[client](server, group, topic)
    both = [first, second]

    def shared():
        mine, yours = first.owned(), second.owned()
        return mine and yours and not mine & yours and mine | yours == everything

    until("two members to share the partitions", shared, both)
    say(f"a second member came: {sorted(first.owned())} and {sorted(second.owned())}")

    second.close()
    until("the first member to own everything again", lambda: first.owned() == everything, [first])
    say("it went, and the first owns every partition again")

    before = first.assignments
    ask("restart the coordinator")
    again("commit after the restart", lambda: first.commit(topic, 1, 7), [first])
    offset = again("fetch after the restart", lambda: first.committed(topic, 0), [first])
    if offset != 42:
        sys.exit(f"offset 42 was lost in the restart: fetched {offset}")
    if first.assignments != before or first.owned() != everything:
        sys.exit(f"the restart cost a rebalance: {first.assignments - before} new assignments")
    say("the coordinator restarted: offsets kept, generation kept, no rebalance")

    first.close()
    say("left")


if __name__ == "__main__":
    main(*sys.argv[1:])
