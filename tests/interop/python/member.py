"""One member of a group, made of an unmodified Kafka client for Python (see ../README.md).

usage: member.py CLIENT SERVER GROUP TOPIC NAME STRATEGY [INSTANCE]
"""

import json
import logging
import queue
import sys
import threading
import time

from clients import CLIENTS


def main(client, server, group, topic, name, strategy, instance=None):
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    topic, *more = topic.split(",")
    member = CLIENTS[client](server, group, topic, name, strategy, instance, more)
    commands = listen()
    told = None

    def tell(owned):
        nonlocal told
        state = (sorted(owned), member.assignments)
        if state != told:
            told = state
            say(event="owns", partitions=state[0], assignments=state[1])

    member.tell = tell
    while True:
        member.poll()
        tell(member.owned())
        try:
            verb, *rest = commands.get_nowait()
        except queue.Empty:
            continue
        if verb == "leave":
            member.close()
            say(event="left")
            return
        try:
            obey(member, topic, verb, *map(int, rest))
        except Exception as error:  # noqa: BLE001 - whatever the library raises while its coordinator is away
            logging.exception("%s failed", verb)
            say(event="failed", reason=f"{verb}: {error!r}")


def obey(member, topic, verb, partition=None, offset=None):
    if verb == "commit":
        member.commit(topic, partition, offset)
        say(event="committed", partition=partition, offset=offset)
    elif verb == "fetch":
        say(event="fetched", partition=partition, offset=member.committed(topic, partition))
    elif verb == "reached":
        say(event="reached", times=member.reached())
    else:
        sys.exit(f"there is no command {verb}")


def listen():
    """The commands, split into words, as they come in; the end of the input means leave."""
    commands = queue.SimpleQueue()

    def read():
        for line in sys.stdin:
            commands.put(line.split())
        commands.put(["leave"])

    threading.Thread(target=read, daemon=True).start()
    return commands


def say(**event):
    print(json.dumps({**event, "at": time.time()}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
