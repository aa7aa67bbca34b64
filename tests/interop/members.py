"""Group members made of unmodified Kafka clients, all with the same few methods, and waiting with a deadline."""

import select
import sys
import time

DEADLINE_S = 60
HEARTBEAT_MS = 500
SESSION_MS = 30_000
POLL_S = 0.1


class KafkaPython:
    """A member made of kafka-python's consumer."""

    name = "kafka-python"

    def __init__(self, server, group, topic):
        import kafka
        from kafka.consumer.subscription_state import ConsumerRebalanceListener

        self._kafka = kafka
        self.assignments = 0
        member = self

        class Listener(ConsumerRebalanceListener):
            def on_partitions_revoked(self, revoked):
                pass

            def on_partitions_assigned(self, assigned):
                member.assignments += 1

        self._consumer = kafka.KafkaConsumer(
            bootstrap_servers=server,
            group_id=group,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            session_timeout_ms=SESSION_MS,
            heartbeat_interval_ms=HEARTBEAT_MS,
        )
        self._consumer.subscribe([topic], listener=Listener())

    def poll(self):
        self._consumer.poll(timeout_ms=int(POLL_S * 1000))

    def owned(self):
        return {partition.partition for partition in self._consumer.assignment()}

    def commit(self, topic, partition, offset):
        place = self._kafka.TopicPartition(topic, partition)
        value = self._kafka.OffsetAndMetadata(offset, "interop", -1)
        self._consumer.commit({place: value}, timeout_ms=DEADLINE_S * 1000)

    def committed(self, topic, partition):
        place = self._kafka.TopicPartition(topic, partition)
        return self._consumer.committed(place, timeout_ms=DEADLINE_S * 1000)

    def close(self):
        self._consumer.close(autocommit=False)


class Confluent:
    """A member made of confluent-kafka's consumer (librdkafka)."""

    name = "confluent-kafka"

    def __init__(self, server, group, topic):
        import confluent_kafka

        self._kafka = confluent_kafka
        self.assignments = 0
        self._consumer = confluent_kafka.Consumer(
            {
                "bootstrap.servers": server,
                "group.id": group,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "session.timeout.ms": SESSION_MS,
                "heartbeat.interval.ms": HEARTBEAT_MS,
                "reconnect.backoff.max.ms": 1000,
            }
        )
        self._consumer.subscribe([topic], on_assign=self._count)

    def _count(self, _consumer, _partitions):
        self.assignments += 1

    def poll(self):
        message = self._consumer.poll(POLL_S)
        # A coordinator that is away is reported here; the client itself goes on looking for it.
        if message is not None and message.error() is not None and message.error().fatal():
            raise RuntimeError(message.error())

    def owned(self):
        return {partition.partition for partition in self._consumer.assignment()}

    def commit(self, topic, partition, offset):
        place = self._kafka.TopicPartition(topic, partition, offset)
        for done in self._consumer.commit(offsets=[place], asynchronous=False):
            if done.error is not None:
                raise RuntimeError(done.error)

    def committed(self, topic, partition):
        [place] = self._consumer.committed([self._kafka.TopicPartition(topic, partition)], timeout=DEADLINE_S)
        if place.error is not None:
            raise RuntimeError(place.error)
        return place.offset

    def close(self):
        self._consumer.close()


CLIENTS = {client.name: client for client in (KafkaPython, Confluent)}


def until(what, condition, members):
    """Polls all members until the condition holds; says what was waited for when it never does."""
    end = time.monotonic() + DEADLINE_S
    while True:
        for member in members:
            member.poll()
        if condition():
            return
        if time.monotonic() > end:
            owned = [(member.name, sorted(member.owned()), member.assignments) for member in members]
            sys.exit(f"waited {DEADLINE_S} s for {what}, in vain; members own {owned}")


def again(what, action, members):
    """Repeats an action that may meet a coordinator which is away, until it succeeds."""
    end = time.monotonic() + DEADLINE_S
    while True:
        try:
            return action()
        except Exception as error:  # noqa: BLE001 - whatever the client raises while it looks for its coordinator
            if time.monotonic() > end:
                sys.exit(f"tried {DEADLINE_S} s to {what}, in vain: {error}")
        for member in members:
            member.poll()


def say(text):
    print(text, flush=True)


def ask(question):
    """Asks the driver to do something, and waits until it is done."""
    say(f"ask: {question}")
    if sys.stdin.readline().strip() != "done":
        sys.exit(f"the driver did not {question}")


def told():
    """Whether the driver has said something."""
    return bool(select.select([sys.stdin], [], [], 0)[0])
