"""An unmodified kafka-python consumer that joins a running group, prints what it owns as often as that changes, and
leaves when told to.

usage: newcomer.py SERVER GROUP TOPIC
"""

import json
import sys

from members import KafkaPython, say, told, until


def main(server, group, topic):
    member = KafkaPython(server, group, topic)
    last = []

    def let_go():
        nonlocal last
        owned = sorted(member.owned())
        if owned != last:
            last = owned
            say(json.dumps(owned))
        return told()

    until("the driver to let it go", let_go, [member])
    member.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
