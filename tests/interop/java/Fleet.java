import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Many members of the unmodified Java client in one process, under cooperative-sticky: `start NAME` and `stop NAME` on
 * standard input, what each has on standard output.
 */
public final class Fleet {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Map<String, One> MEMBERS = new ConcurrentHashMap<>();

    public static void main(String[] words) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] order = line.split(" ");
            if (order[0].equals("start")) {
                One one = new One(words, order[1]);
                MEMBERS.put(order[1], one);
                one.start();
            } else {
                MEMBERS.remove(order[1]).leave();
            }
        }
        System.exit(0);
    }

    private static final class One extends Thread {
        private final String name;
        private final KafkaConsumer<byte[], byte[]> consumer;
        private volatile boolean leaves;
        private String told = "none";

        One(String[] words, String name) {
            this.name = name;
            Properties settings = new Properties();
            settings.put("bootstrap.servers", words[0]);
            settings.put("client.id", name);
            settings.put("group.id", words[1]);
            settings.put("enable.auto.commit", "false");
            settings.put("auto.offset.reset", "earliest");
            settings.put("session.timeout.ms", words[3]);
            settings.put("heartbeat.interval.ms", words[4]);
            settings.put("key.deserializer", ByteArrayDeserializer.class.getName());
            settings.put("value.deserializer", ByteArrayDeserializer.class.getName());
            settings.put("partition.assignment.strategy", CooperativeStickyAssignor.class.getName());
            consumer = new KafkaConsumer<>(settings);
            consumer.subscribe(List.of(words[2]), new ConsumerRebalanceListener() {
                @Override
                public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
                    tell(consumer.assignment().stream().filter(owned -> !revoked.contains(owned)));
                }

                @Override
                public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
                    tell(Stream.concat(consumer.assignment().stream(), assigned.stream()).distinct());
                }
            });
        }

        void leave() {
            leaves = true;
            consumer.wakeup();
        }

        @Override
        public void run() {
            try {
                while (!leaves) {
                    consumer.poll(POLL);
                }
            } catch (WakeupException asked) {
                // It is to leave.
            }
            consumer.close();
            say("left", "");
        }

        private void tell(Stream<TopicPartition> partitions) {
            String owned = partitions.map(TopicPartition::partition).sorted().map(String::valueOf)
                    .collect(Collectors.joining(", "));
            if (!owned.equals(told)) {
                told = owned;
                say("owns", owned);
            }
        }

        private void say(String event, String owned) {
            Instant now = Instant.now();
            String at = String.format(Locale.ROOT, "%d.%06d", now.getEpochSecond(), now.getNano() / 1000);
            String line = "{\"event\": \"" + event + "\", \"member\": \"" + name + "\", \"at\": " + at
                    + ", \"partitions\": [" + owned + "]}\n";
            synchronized (System.out) {
                System.out.print(line);
                System.out.flush();
            }
        }
    }
}
