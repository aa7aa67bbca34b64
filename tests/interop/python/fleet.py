"""Many members of unmodified librdkafka in one process, under cooperative-sticky: `start NAME` and `stop NAME` on standard
input, what each has on standard output.

usage: fleet.py SERVER GROUP TOPIC SESSION_MS HEARTBEAT_MS
"""

import json
import sys
import threading
import time

import confluent_kafka

POLL_S = 0.1
STDOUT = threading.Lock()


class One(threading.Thread):
    """A member."""

    def __init__(self, name, server, group, topic, session_ms, heartbeat_ms):
        super().__init__(daemon=True)
        self.name = name
        self._leaves = threading.Event()
        self._owned = set()
        self._consumer = confluent_kafka.Consumer(
            {
                "bootstrap.servers": server,
                "client.id": name,
                "group.id": group,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "session.timeout.ms": int(session_ms),
                "heartbeat.interval.ms": int(heartbeat_ms),
                "partition.assignment.strategy": "cooperative-sticky",
            }
        )
        self._consumer.subscribe([topic], on_assign=self._assigned, on_revoke=self._revoked, on_lost=self._revoked)

    def run(self):
        while not self._leaves.is_set():
            message = self._consumer.poll(POLL_S)
            if message is not None and message.error() is not None:
                print(message.error(), file=sys.stderr, flush=True)
        self._consumer.close()
        self._say("left")

    def leave(self):
        self._leaves.set()

    def _assigned(self, _consumer, partitions):
        self._owned |= {partition.partition for partition in partitions}
        self._say("owns")

    def _revoked(self, _consumer, partitions):
        self._owned -= {partition.partition for partition in partitions}
        self._say("owns")

    def _say(self, event):
        owned = [] if event == "left" else sorted(self._owned)
        line = json.dumps({"event": event, "member": self.name, "at": time.time(), "partitions": owned})
        with STDOUT:
            print(line, flush=True)


def main(*settings):
    members = {}
    for line in sys.stdin:
        verb, name = line.split()
        if verb == "start":
            members[name] = One(name, *settings)
            members[name].start()
        else:
            members.pop(name).leave()


if __name__ == "__main__":
    main(*sys.argv[1:])
