"""An unmodified kafka-python consumer that joins a running group, prints what it owns, and leaves when told to.

usage: newcomer.py SERVER GROUP TOPIC
"""

import json
import sys

from members import KafkaPython, say, told, until


def main(server, group, topic):
    member = KafkaPython(server, group, topic)
    until("a share of the group's work", member.owned, [member])
    say(json.dumps(sorted(member.owned())))
    # It goes on polling meanwhile, as an application would.
    until("the driver to let it go", told, [member])
    member.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
