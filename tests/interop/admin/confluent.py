"""confluent-kafka's AdminClient (librdkafka) against a coordinator that has the topic `orders` in its configuration.

usage: confluent.py SERVER
"""

import sys

from confluent_kafka import Consumer, ConsumerGroupState, ConsumerGroupTopicPartitions, Producer, TopicCollection, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, NewPartitions, NewTopic, OffsetSpec, ResourceType

from told import DEADLINE_S, check, refused, say, until


def main(server):
    admin = AdminClient({"bootstrap.servers": server})
    wait = {"request_timeout": DEADLINE_S}

    cluster = admin.describe_cluster(**wait).result()
    check("the cluster has node 0 as its controller", cluster.controller.id == 0, cluster.controller)

    admin.create_topics([NewTopic("made", num_partitions=2)], **wait)["made"].result()
    admin.create_partitions([NewPartitions("made", 5)], **wait)["made"].result()
    topics = admin.list_topics(timeout=DEADLINE_S).topics
    check("a topic was made, and has grown to 5 partitions", len(topics["made"].partitions) == 5, topics)
    described = admin.describe_topics(TopicCollection(["made"]), **wait)["made"].result()
    check("it is described", len(described.partitions) == 5, described)
    refused("a topic with fewer partitions", lambda: admin.create_partitions([NewPartitions("made", 3)], **wait)["made"].result(), "INVALID_PARTITIONS")

    broker = ConfigResource(ResourceType.BROKER, "0")
    settings = admin.describe_configs([broker], **wait)[broker].result()
    bound = settings["group.max.session.timeout.ms"]
    check("the coordinator's bounds are told, read-only", bound.value == "1800000" and bound.is_read_only, bound)

    consumer = Consumer({"bootstrap.servers": server, "group.id": "crew", "enable.auto.commit": False, "session.timeout.ms": 10_000})
    consumer.subscribe(["made"])

    def joined():
        consumer.poll(0.1)
        return consumer.assignment()

    until("a member of the group `crew` owns the topic", joined, lambda owned: len(owned) == 5)
    consumer.commit(offsets=[TopicPartition("made", 0, 40), TopicPartition("made", 1, 7)], asynchronous=False)

    groups = admin.list_consumer_groups(**wait).result()
    listed = {group.group_id: group.state for group in groups.valid}
    check("it is listed as stable", listed.get("crew") == ConsumerGroupState.STABLE and not groups.errors, listed)
    empty = admin.list_consumer_groups(states={ConsumerGroupState.EMPTY}, **wait).result().valid
    check("and left out of the list of empty groups", all(group.group_id != "crew" for group in empty), empty)
    crew = admin.describe_consumer_groups(["crew"], **wait)["crew"].result()
    owned = crew.members[0].assignment.topic_partitions
    check("it is described with its member's partitions", len(owned) == 5 and crew.partition_assignor == "range", crew)
    refused("deleting a group with members", lambda: admin.delete_consumer_groups(["crew"], **wait)["crew"].result(), "NON_EMPTY_GROUP")
    consumer.close()

    def state():
        return admin.describe_consumer_groups(["crew"], **wait)["crew"].result().state

    until("the member has left", state, lambda state: state == ConsumerGroupState.EMPTY)

    def committed():
        asked = [ConsumerGroupTopicPartitions("crew")]
        told = admin.list_consumer_group_offsets(asked, **wait)["crew"].result().topic_partitions
        return {place.partition: place.offset for place in told}

    check("its offsets are told", committed() == {0: 40, 1: 7}, committed())
    new = [ConsumerGroupTopicPartitions("crew", [TopicPartition("made", 1, 9)])]
    admin.alter_consumer_group_offsets(new, **wait)["crew"].result()
    check("one of them was set", committed() == {0: 40, 1: 9}, committed())

    def end():
        place = TopicPartition("made", 0)
        return admin.list_offsets({place: OffsetSpec.latest()}, **wait)[place].result().offset

    check("a partition ends at the highest commit", end() == 40, end())

    admin.delete_topics(["made"], **wait)["made"].result()
    check("the topic is deleted, and its offsets are forgotten", committed() == {}, committed())
    refused("deleting it again", lambda: admin.delete_topics(["made"], **wait)["made"].result(), "UNKNOWN_TOPIC_OR_PART")
    refused("deleting a topic of the configuration", lambda: admin.delete_topics(["orders"], **wait)["orders"].result(), "TOPIC_DELETION_DISABLED")

    other = [ConsumerGroupTopicPartitions("crew", [TopicPartition("orders", 0, 1)])]
    admin.alter_consumer_group_offsets(other, **wait)["crew"].result()
    admin.delete_consumer_groups(["crew"], **wait)["crew"].result()
    listed = [group.group_id for group in admin.list_consumer_groups(**wait).result().valid]
    check("the group is deleted", "crew" not in listed, listed)
    refused("deleting it again", lambda: admin.delete_consumer_groups(["crew"], **wait)["crew"].result(), "GROUP_ID_NOT_FOUND")
    producer = Producer({"bootstrap.servers": server, "transactional.id": "t"})
    refused("a transaction", lambda: producer.init_transactions(DEADLINE_S), "Transactions not supported")
    say("done")


if __name__ == "__main__":
    main(*sys.argv[1:])
