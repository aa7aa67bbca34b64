import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** One member of a group, made of the unmodified Java client (see ../README.md). */
public final class Member {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration ANSWER = Duration.ofSeconds(20);
    private static final Map<String, String> STRATEGIES = Map.of(
            "range", "RangeAssignor",
            "roundrobin", "RoundRobinAssignor",
            "sticky", "StickyAssignor",
            "cooperative-sticky", "CooperativeStickyAssignor");

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final String topic;
    private int assignments;
    private String told = "";

    public static void main(String[] words) {
        new Member(words[1], words[2], words[3], words[4], words[5], words.length > 6 ? words[6] : null).run();
    }

    private Member(String server, String group, String topic, String name, String strategy, String instance) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", server);
        settings.put("client.id", name);
        settings.put("group.id", group);
        settings.put("enable.auto.commit", "false");
        settings.put("auto.offset.reset", "earliest");
        settings.put("session.timeout.ms", "30000");
        settings.put("heartbeat.interval.ms", "500");
        settings.put("default.api.timeout.ms", String.valueOf(ANSWER.toMillis()));
        settings.put("key.deserializer", ByteArrayDeserializer.class.getName());
        settings.put("value.deserializer", ByteArrayDeserializer.class.getName());
        if (!strategy.equals("default")) {
            String assignor = "org.apache.kafka.clients.consumer." + STRATEGIES.get(strategy);
            settings.put("partition.assignment.strategy", assignor);
        }
        if (instance != null) {
            settings.put("group.instance.id", instance);
        }
        if (System.getenv("RACK") != null) {
            settings.put("client.rack", System.getenv("RACK"));
        }
        List<String> topics = List.of(topic.split(","));
        this.topic = topics.get(0);
        this.consumer = new KafkaConsumer<>(settings);
        this.consumer.subscribe(topics, new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
                tell(consumer.assignment().stream().filter(owned -> !revoked.contains(owned)));
            }

            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
                assignments++;
            }
        });
    }

    private void run() {
        Queue<String> commands = listen();
        while (true) {
            consumer.poll(POLL);
            tell(consumer.assignment().stream());
            String command = commands.poll();
            if (command == null) {
                continue;
            }
            String[] words = command.split(" ");
            if (words[0].equals("leave")) {
                consumer.close();
                say("left", "\"by\": \"" + words[0] + "\"");
                return;
            }
            try {
                obey(words);
            } catch (KafkaException error) {
                say("failed", "\"reason\": \"" + command + ": " + error.toString().replace('"', '\'') + "\"");
            }
        }
    }

    /** Says what it owns, if that has changed: what is revoked before others can have it. */
    private void tell(Stream<TopicPartition> partitions) {
        String owned = partitions.filter(owns -> owns.topic().equals(topic)).map(TopicPartition::partition).sorted().map(String::valueOf)
                .collect(Collectors.joining(", "));
        String state = "\"partitions\": [" + owned + "], \"assignments\": " + assignments;
        if (!state.equals(told)) {
            told = state;
            say("owns", state);
        }
    }

    private void obey(String[] words) {
        TopicPartition place = new TopicPartition(topic, Integer.parseInt(words[1]));
        long offset;
        if (words[0].equals("commit")) {
            offset = Long.parseLong(words[2]);
            consumer.commitSync(Map.of(place, new OffsetAndMetadata(offset, "interop")), ANSWER);
        } else {
            OffsetAndMetadata committed = consumer.committed(Set.of(place), ANSWER).get(place);
            offset = committed == null ? -1 : committed.offset();
        }
        String event = words[0].equals("commit") ? "committed" : "fetched";
        say(event, "\"partition\": " + place.partition() + ", \"offset\": " + offset);
    }

    /** The commands as they come in; the end of the input means leave. */
    private static Queue<String> listen() {
        Queue<String> commands = new ConcurrentLinkedQueue<>();
        Thread reader = new Thread(() -> {
            try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in))) {
                input.lines().forEach(commands::add);
            } catch (IOException error) {
                System.err.println(error);
            }
            commands.add("leave");
        });
        reader.setDaemon(true);
        reader.start();
        return commands;
    }

    private static void say(String event, String rest) {
        Instant now = Instant.now();
        String at = String.format(Locale.ROOT, "%d.%06d", now.getEpochSecond(), now.getNano() / 1000);
        System.out.println("{\"event\": \"" + event + "\", \"at\": " + at + ", " + rest + "}");
        System.out.flush();
    }
}
