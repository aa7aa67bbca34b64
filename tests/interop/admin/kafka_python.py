"""kafka-python's KafkaAdminClient against a coordinator that has the topic `orders` in its configuration.

usage: kafka_python.py SERVER
"""

import sys

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import ConfigFilterType, ConfigResource, ConfigResourceType, KafkaAdminClient, NewPartitions, NewTopic, OffsetSpec
from kafka.structs import OffsetAndMetadata

from told import check, refused, say, until


def main(server):
    admin = KafkaAdminClient(bootstrap_servers=server)
    cluster = admin.describe_cluster()
    check("the cluster has node 0 as its controller", cluster["controller_id"] == 0, cluster)

    admin.create_topics([NewTopic("made", num_partitions=2, replication_factor=1)])
    admin.create_partitions({"made": NewPartitions(5)})
    [topic] = admin.describe_topics(["made"])
    check("a topic was made, and has grown to 5 partitions", len(topic["partitions"]) == 5, topic)
    refused("a topic with fewer partitions", lambda: admin.create_partitions({"made": NewPartitions(3)}), "InvalidPartitions")
    check("it is listed", "made" in admin.list_topics(), admin.list_topics())

    settings = admin.describe_configs([ConfigResource(ConfigResourceType.BROKER, "0")], config_filter=ConfigFilterType.ALL)
    check("the coordinator's bounds are told", "group.max.session.timeout.ms" in str(settings), settings)

    consumer = KafkaConsumer(
        "made", bootstrap_servers=server, group_id="crew", enable_auto_commit=False, session_timeout_ms=10_000
    )

    def joined():
        consumer.poll(timeout_ms=100)
        return consumer.assignment()

    until("a member of the group `crew` owns the topic", joined, lambda owned: len(owned) == 5)
    places = {TopicPartition("made", 0): 40, TopicPartition("made", 1): 7}
    consumer.commit({place: OffsetAndMetadata(offset, "", -1) for place, offset in places.items()})

    groups = admin.list_groups()
    check("it is listed", any("crew" in str(group) for group in groups), groups)
    crew = admin.describe_groups(["crew"])
    check("it is described as stable, with its member's partitions", "Stable" in str(crew) and "made" in str(crew), crew)
    told = admin.delete_groups(["crew"])
    check("a group with members is not deleted", "NonEmptyGroup" in str(told) or "NON_EMPTY" in str(told), told)
    consumer.close(autocommit=False)
    until("the member has left", lambda: str(admin.describe_groups(["crew"])), lambda crew: "Empty" in crew)

    def committed():
        told = admin.list_group_offsets({"crew": None})["crew"]
        return {place.partition: kept.offset for place, kept in told.items()}

    check("its offsets are told", committed() == {0: 40, 1: 7}, committed())
    admin.alter_group_offsets("crew", {TopicPartition("made", 1): OffsetAndMetadata(9, "", -1)})
    check("one of them was set", committed() == {0: 40, 1: 9}, committed())
    admin.reset_group_offsets("crew", {TopicPartition("made", 0): OffsetSpec.EARLIEST})
    check("one of them was reset to the beginning", committed() == {0: 0, 1: 9}, committed())
    ends = admin.list_partition_offsets({TopicPartition("made", 1): OffsetSpec.LATEST})
    check("a partition ends at the highest commit", "offset=9" in str(ends), ends)
    admin.delete_group_offsets("crew", [TopicPartition("made", 1)])
    check("one of them was deleted", committed() == {0: 0}, committed())

    admin.delete_topics(["made"])
    check("the topic is deleted, and its offsets are forgotten", committed() == {}, committed())
    refused("deleting it again", lambda: admin.delete_topics(["made"]), "UnknownTopicOrPartition")
    refused("deleting a topic of the configuration", lambda: admin.delete_topics(["orders"]), "TopicDeletionDisabled")

    admin.alter_group_offsets("crew", {TopicPartition("orders", 0): OffsetAndMetadata(1, "", -1)})
    told = admin.delete_groups(["crew"])
    check("the group is deleted", "crew" not in str(admin.list_groups()), told)
    admin.close()
    producer = KafkaProducer(bootstrap_servers=server, transactional_id="t")
    refused("a transaction", producer.init_transactions, "Could not find a coordinator")
    say("done")


if __name__ == "__main__":
    main(*sys.argv[1:])
