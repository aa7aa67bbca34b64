"""What an operator does to a Kafka cluster by hand, with kafka-python's admin client.

usage: by_hand.py SERVER remove GROUP INSTANCE    a static member out of its group
       by_hand.py SERVER set BROKER KEY VALUE     a setting of a running broker
       by_hand.py SERVER unset BROKER KEY
       by_hand.py SERVER create TOPIC BROKER…     a topic with a partition on each of these
"""

import sys

from kafka.admin import AlterConfigOp, ConfigResource, ConfigResourceType, KafkaAdminClient, MemberToRemove, NewTopic
from kafka.errors import NoError


def remove(admin, group, instance):
    told = admin.remove_group_members(group, [MemberToRemove(group_instance_id=instance)])
    if list(told.values()) != [NoError]:
        sys.exit(f"{instance} was not removed: {told}")


def create(admin, topic, *brokers):
    places = {partition: [int(broker)] for partition, broker in enumerate(brokers)}
    admin.create_topics([NewTopic(topic, replica_assignments=places)])


def change(admin, broker, key, value):
    admin.alter_configs([ConfigResource(ConfigResourceType.BROKER, broker, configs={key: value})])


def main(server, verb, *words):
    admin = KafkaAdminClient(bootstrap_servers=server)
    if verb == "remove":
        remove(admin, *words)
    elif verb == "create":
        create(admin, *words)
    elif verb == "set":
        change(admin, *words)
    elif verb == "unset":
        change(admin, *words, (AlterConfigOp.DELETE, None))
    else:
        sys.exit(__doc__)
    admin.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
