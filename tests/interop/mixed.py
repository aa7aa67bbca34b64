"""Both kinds of client in one group that a divvy member leads: they get what its module says.

usage: mixed.py SERVER GROUP TOPIC PARTITIONS
"""

import json
import sys

from members import CLIENTS, ask, say, until


def main(server, group, topic, count):
    members = [client(server, group, topic) for client in CLIENTS.values()]
    fair = int(count) // 3

    def settled():
        owned = [member.owned() for member in members]
        return all(len(part) == fair for part in owned) and not set.intersection(*owned)

    until("each client to own a third", settled, members)
    say("owned: " + json.dumps({member.name: sorted(member.owned()) for member in members}))
    ask("check who leads")
    for member in members:
        member.close()
    say("left")


if __name__ == "__main__":
    main(*sys.argv[1:])
