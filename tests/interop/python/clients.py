"""Group members made of unmodified Kafka clients, all with the same few methods."""

import logging
import os
import re
import signal
import subprocess
import sys
import threading
import time

HEARTBEAT_MS = 500
SESSION_MS = 30_000
POLL_S = 0.1
ANSWER_S = 20


class KafkaPython:
    """kafka-python's consumer."""

    def __init__(self, server, group, topic, name, strategy="default", instance=None, topics=()):
        import kafka
        from kafka.consumer.subscription_state import ConsumerRebalanceListener

        self._kafka = kafka
        self.assignments = 0
        self._revoked = set()
        member = self

        class Listener(ConsumerRebalanceListener):
            def on_partitions_revoked(self, revoked):
                # The library goes on to list them until it is assigned something else.
                member._revoked = {place.partition for place in revoked if place.topic == topic}
                member.tell(member.owned())

            def on_partitions_assigned(self, assigned):
                member._revoked = set()
                member.assignments += 1

        more = {}
        if strategy != "default":
            more["partition_assignment_strategy"] = [self._strategies()[strategy]]
        if instance is not None:
            more["group_instance_id"] = instance
        self._consumer = kafka.KafkaConsumer(
            bootstrap_servers=server,
            client_id=name,
            group_id=group,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            session_timeout_ms=SESSION_MS,
            heartbeat_interval_ms=HEARTBEAT_MS,
            **more,
        )
        self._topic = topic
        self._consumer.subscribe([topic, *topics], listener=Listener())

    @staticmethod
    def _strategies():
        from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
        from kafka.coordinator.assignors.range import RangePartitionAssignor
        from kafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
        from kafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor

        known = (
            RangePartitionAssignor,
            RoundRobinPartitionAssignor,
            StickyPartitionAssignor,
            CooperativeStickyAssignor,
        )
        return {strategy.name: strategy for strategy in known}

    def poll(self):
        try:
            self._consumer.poll(timeout_ms=int(POLL_S * 1000))
        except self._kafka.errors.KafkaConnectionError:
            # A broker that is away may be told by any poll; the next one looks for it again, as every application has to.
            logging.exception("poll failed")
            time.sleep(POLL_S)

    def owned(self):
        return {place.partition for place in self._consumer.assignment() if place.topic == self._topic} - self._revoked

    def commit(self, topic, partition, offset):
        place = self._kafka.TopicPartition(topic, partition)
        value = self._kafka.OffsetAndMetadata(offset, "interop", -1)
        self._consumer.commit({place: value}, timeout_ms=ANSWER_S * 1000)

    def committed(self, topic, partition):
        place = self._kafka.TopicPartition(topic, partition)
        offset = self._consumer.committed(place, timeout_ms=ANSWER_S * 1000)
        return -1 if offset is None else offset

    def close(self):
        self._consumer.close(autocommit=False)


class Confluent:
    """confluent-kafka's consumer: librdkafka."""

    def __init__(self, server, group, topic, name, strategy="default", instance=None, topics=()):
        import confluent_kafka

        self._kafka = confluent_kafka
        self.assignments = 0
        more = {}
        if strategy != "default":
            more["partition.assignment.strategy"] = strategy
        if instance is not None:
            more["group.instance.id"] = instance
        if "RACK" in os.environ:
            more["client.rack"] = os.environ["RACK"]
        self._topic = topic
        self._consumer = confluent_kafka.Consumer(
            {
                "bootstrap.servers": server,
                "client.id": name,
                "group.id": group,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "session.timeout.ms": SESSION_MS,
                "heartbeat.interval.ms": HEARTBEAT_MS,
                "reconnect.backoff.max.ms": 1000,
                "debug": "cgrp",
                **more,
            }
        )
        self._consumer.subscribe([topic, *topics], on_assign=self._count, on_revoke=self._revoked)

    def _count(self, _consumer, _partitions):
        self.assignments += 1

    def _revoked(self, _consumer, partitions):
        self.tell(self.owned() - self._numbers(partitions))

    def _numbers(self, places):
        return {place.partition for place in places if place.topic == self._topic}

    def poll(self):
        message = self._consumer.poll(POLL_S)
        # A coordinator that is away is reported here; the client itself goes on looking for it.
        if message is not None and message.error() is not None:
            print(message.error(), file=sys.stderr, flush=True)
            if message.error().fatal():
                raise RuntimeError(message.error())

    def owned(self):
        return self._numbers(self._consumer.assignment())

    def commit(self, topic, partition, offset):
        place = self._kafka.TopicPartition(topic, partition, offset)
        for done in self._consumer.commit(offsets=[place], asynchronous=False):
            if done.error is not None:
                raise RuntimeError(done.error)

    def committed(self, topic, partition):
        [place] = self._consumer.committed([self._kafka.TopicPartition(topic, partition)], timeout=ANSWER_S)
        if place.error is not None:
            raise RuntimeError(place.error)
        return max(place.offset, -1)

    def close(self):
        self._consumer.close()


class Aiokafka:
    """aiokafka's consumer, its event loop run between commands."""

    def __init__(self, server, group, topic, name, strategy="default", instance=None, topics=()):
        import asyncio

        import aiokafka
        from aiokafka.coordinator.assignors.range import RangePartitionAssignor
        from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
        from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor

        known = (RangePartitionAssignor, RoundRobinPartitionAssignor, StickyPartitionAssignor)
        strategies = {known.name: known for known in known}
        self._kafka = aiokafka
        self.assignments = 0
        member = self

        class Listener(aiokafka.ConsumerRebalanceListener):
            def on_partitions_revoked(self, revoked):
                pass

            def on_partitions_assigned(self, assigned):
                member.assignments += 1

        more = {}
        if strategy != "default":
            more["partition_assignment_strategy"] = (strategies[strategy],)
        if instance is not None:
            more["group_instance_id"] = instance

        async def start():
            consumer = aiokafka.AIOKafkaConsumer(
                bootstrap_servers=server,
                client_id=name,
                group_id=group,
                enable_auto_commit=False,
                auto_offset_reset="earliest",
                session_timeout_ms=SESSION_MS,
                heartbeat_interval_ms=HEARTBEAT_MS,
                **more,
            )
            consumer.subscribe([topic, *topics], listener=Listener())
            await consumer.start()
            return consumer

        self._topic = topic
        self._loop = asyncio.new_event_loop()
        self._consumer = self._run(start())

    def _run(self, work):
        return self._loop.run_until_complete(work)

    def poll(self):
        self._run(self._consumer.getmany(timeout_ms=int(POLL_S * 1000)))

    def owned(self):
        return {place.partition for place in self._consumer.assignment() if place.topic == self._topic}

    def commit(self, topic, partition, offset):
        place = self._kafka.TopicPartition(topic, partition)
        self._run(self._consumer.commit({place: self._kafka.structs.OffsetAndMetadata(offset, "interop")}))

    def committed(self, topic, partition):
        offset = self._run(self._consumer.committed(self._kafka.TopicPartition(topic, partition)))
        return -1 if offset is None else offset

    def close(self):
        self._run(self._consumer.stop())


class Kcat:
    """kcat as a balanced consumer; it has no way to commit what was not read, so it only shares."""

    def __init__(self, server, group, topic, name, strategy="default", instance=None, topics=()):
        settings = {
            "client.id": name,
            "session.timeout.ms": SESSION_MS,
            "heartbeat.interval.ms": HEARTBEAT_MS,
            "reconnect.backoff.max.ms": 1000,
        }
        if strategy != "default":
            settings["partition.assignment.strategy"] = strategy
        if instance is not None:
            settings["group.instance.id"] = instance
        # It must not outlive this process, however that ends.
        command = ["setpriv", "--pdeathsig", "KILL", "kcat", "-E", "-d", "broker", "-b", server]
        for key, value in settings.items():
            command += ["-X", f"{key}={value}"]
        command += ["-G", group, topic, *topics]
        self._kcat = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, stderr=subprocess.PIPE, text=True)
        self._heard = threading.Condition()
        self._owned = set()
        self._reached = 0
        self.assignments = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._kcat.stderr:
            if "|STATE|" in line and ": GroupCoordinator: " in line and line.rstrip().endswith("-> UP"):
                with self._heard:
                    self._reached += 1
            if not line.startswith("%7|"):
                print(line, end="", file=sys.stderr, flush=True)
            if not line.startswith("% Group "):
                continue
            places = {int(number) for number in re.findall(r"\[(\d+)\]", line)}
            with self._heard:
                if "assign" in line:
                    self.assignments += 1
                    self._owned |= places
                else:
                    self._owned -= places
                self._heard.notify()

    def poll(self):
        if self._kcat.poll() is not None:
            raise RuntimeError(f"kcat ended with {self._kcat.returncode}")
        with self._heard:
            self._heard.wait(POLL_S)

    def owned(self):
        with self._heard:
            return set(self._owned)

    def commit(self, _topic, _partition, _offset):
        raise NotImplementedError("kcat commits only what it has read")

    committed = commit

    def reached(self):
        with self._heard:
            return self._reached

    def close(self):
        self._kcat.send_signal(signal.SIGINT)
        self._kcat.wait(ANSWER_S)


CLIENTS = {
    "kafka-python": KafkaPython,
    "confluent-kafka": Confluent,
    "confluent-kafka-2.0": Confluent,
    "aiokafka": Aiokafka,
    "kcat": Kcat,
}
