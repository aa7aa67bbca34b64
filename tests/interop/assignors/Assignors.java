// How long Kafka's own assignors take for a group that divvy's benchmark wrote to a file (tests/bench/assignors/peers.rs).
//
// usage: Assignors FILE STRATEGY SECONDS
// Says, as JSON, the medians of deciding alone and of a leader's whole path, from the members' bytes to theirs.

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.FileInputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.MemberSubscription;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;

public final class Assignors {
    private static final Map<String, Integer> topics = new LinkedHashMap<>();
    private static final Map<String, ByteBuffer> members = new LinkedHashMap<>();

    public static void main(String[] arguments) throws Exception {
        read(arguments[0]);
        long end = System.nanoTime() + Long.parseLong(arguments[2]) * 1_000_000_000L;
        List<Long> deciding = new ArrayList<>();
        List<Long> whole = new ArrayList<>();
        do {
            long start = System.nanoTime();
            long alone = arguments[1].equals("uniform") ? decideOnTheServer() : lead(arguments[1]);
            whole.add(System.nanoTime() - start);
            deciding.add(alone);
        } while (System.nanoTime() < end);
        System.out.printf("{\"assign_ms\": %s, \"whole_ms\": %s}%n", median(deciding), median(whole));
    }

    private static ConsumerPartitionAssignor assignor(String name) {
        switch (name) {
            case "range": return new RangeAssignor();
            case "roundrobin": return new RoundRobinAssignor();
            case "sticky": return new StickyAssignor();
            case "cooperative-sticky": return new CooperativeStickyAssignor();
            default: throw new IllegalArgumentException("there is no assignor " + name);
        }
    }

    // A client that leads: all subscriptions are read, all assignments are written. Gives back how long the assignor took.
    private static long lead(String name) {
        Map<String, Subscription> subscriptions = new HashMap<>();
        members.forEach((id, bytes) -> subscriptions.put(id, ConsumerProtocol.deserializeSubscription(bytes.duplicate())));
        Node node = new Node(0, "localhost", 9092);
        List<PartitionInfo> partitions = new ArrayList<>();
        topics.forEach((topic, count) -> {
            for (int partition = 0; partition < count; partition++) {
                partitions.add(new PartitionInfo(topic, partition, node, new Node[] {node}, new Node[] {node}));
            }
        });
        Cluster cluster = new Cluster("bench", List.of(node), partitions, Set.of(), Set.of());
        long start = System.nanoTime();
        Map<String, Assignment> plan = assignor(name).assign(cluster, new GroupSubscription(subscriptions)).groupAssignment();
        long alone = System.nanoTime() - start;
        plan.values().forEach(ConsumerProtocol::serializeAssignment);
        return alone;
    }

    // The coordinator's own assignor has its group in memory and writes nothing here: reading is not counted as deciding.
    private static long decideOnTheServer() {
        Map<String, Uuid> ids = new HashMap<>();
        Map<Uuid, Integer> counts = new HashMap<>();
        topics.forEach((topic, count) -> {
            Uuid id = new Uuid(topic.hashCode() * 31L, topic.length() + (((long) topic.hashCode()) << 8));
            ids.put(topic, id);
            counts.put(id, count);
        });
        Map<String, Member> group = new HashMap<>();
        Map<Uuid, Set<Integer>> taken = new HashMap<>();
        members.forEach((id, bytes) -> {
            Subscription subscription = ConsumerProtocol.deserializeSubscription(bytes.duplicate());
            Set<Uuid> reads = new HashSet<>();
            subscription.topics().forEach(topic -> reads.add(ids.get(topic)));
            Map<Uuid, Set<Integer>> has = new HashMap<>();
            for (TopicPartition owned : subscription.ownedPartitions()) {
                has.computeIfAbsent(ids.get(owned.topic()), key -> new HashSet<>()).add(owned.partition());
                taken.computeIfAbsent(ids.get(owned.topic()), key -> new HashSet<>()).add(owned.partition());
            }
            // The assignor takes no map that somebody could change.
            group.put(id, new Member(reads, Collections.unmodifiableMap(has)));
        });
        boolean alike = group.values().stream().map(Member::subscribedTopicIds).distinct().count() <= 1;
        long start = System.nanoTime();
        new UniformAssignor().assign(new Spec(group, alike, taken), new Topics(counts));
        return System.nanoTime() - start;
    }

    private record Member(Set<Uuid> subscribedTopicIds, Map<Uuid, Set<Integer>> partitions)
            implements MemberSubscription, MemberAssignment {
        @Override public Optional<String> rackId() {
            return Optional.empty();
        }

        @Override public Optional<String> instanceId() {
            return Optional.empty();
        }
    }

    private record Spec(Map<String, Member> members, boolean alike, Map<Uuid, Set<Integer>> taken) implements GroupSpec {
        @Override public Collection<String> memberIds() {
            return members.keySet();
        }

        @Override public SubscriptionType subscriptionType() {
            return alike ? SubscriptionType.HOMOGENEOUS : SubscriptionType.HETEROGENEOUS;
        }

        @Override public boolean isPartitionAssigned(Uuid topic, int partition) {
            return taken.getOrDefault(topic, Collections.emptySet()).contains(partition);
        }

        @Override public boolean isPartitionAssignable(Uuid topic, int partition) {
            return true;
        }

        @Override public MemberSubscription memberSubscription(String id) {
            return members.get(id);
        }

        @Override public MemberAssignment memberAssignment(String id) {
            return members.get(id);
        }
    }

    private record Topics(Map<Uuid, Integer> counts) implements SubscribedTopicDescriber {
        @Override public int numPartitions(Uuid topic) {
            return counts.getOrDefault(topic, -1);
        }

        @Override public Set<String> racksForPartition(Uuid topic, int partition) {
            return Set.of();
        }
    }

    private static void read(String file) throws Exception {
        try (DataInputStream from = new DataInputStream(new BufferedInputStream(new FileInputStream(file), 1 << 20))) {
            for (int left = from.readInt(); left > 0; left--) {
                topics.put(text(from), from.readInt());
            }
            for (int left = from.readInt(); left > 0; left--) {
                members.put(text(from), ByteBuffer.wrap(from.readNBytes(from.readInt())));
            }
        }
    }

    private static String text(DataInputStream from) throws Exception {
        return new String(from.readNBytes(from.readInt()), StandardCharsets.UTF_8);
    }

    private static double median(List<Long> nanos) {
        Collections.sort(nanos);
        return nanos.get(nanos.size() / 2) / 1e6;
    }
}
