package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

type franz struct {
	seat
	client *kgo.Client
	ended  chan struct{}
}

func joinFranz(mine seat, owns *owner) (member, error) {
	topics := strings.Split(mine.topic, ",")
	mine.topic = topics[0]
	options := []kgo.Opt{
		kgo.SeedBrokers(mine.server),
		kgo.ClientID(mine.name),
		kgo.ConsumerGroup(mine.group),
		kgo.ConsumeTopics(topics...),
		kgo.Rack(os.Getenv("RACK")),
		kgo.DisableAutoCommit(),
		kgo.SessionTimeout(session),
		kgo.HeartbeatInterval(heartbeat),
		kgo.WithLogger(kgo.BasicLogger(os.Stderr, kgo.LogLevelInfo, nil)),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, given map[string][]int32) {
			owns.assigned(given[mine.topic]...)
		}),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, taken map[string][]int32) {
			owns.revoked(taken[mine.topic]...)
		}),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, lost map[string][]int32) {
			owns.revoked(lost[mine.topic]...)
		}),
	}
	if mine.strategy != "default" {
		balancer, err := franzBalancer(mine.strategy)
		if err != nil {
			return nil, err
		}
		options = append(options, kgo.Balancers(balancer))
	}
	if mine.instance != "" {
		options = append(options, kgo.InstanceID(mine.instance))
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		return nil, err
	}
	joined := &franz{seat: mine, client: client, ended: make(chan struct{})}
	go joined.poll()
	return joined, nil
}

func franzBalancer(strategy string) (kgo.GroupBalancer, error) {
	switch strategy {
	case "range":
		return kgo.RangeBalancer(), nil
	case "roundrobin":
		return kgo.RoundRobinBalancer(), nil
	case "sticky":
		return kgo.StickyBalancer(), nil
	case "cooperative-sticky":
		return kgo.CooperativeStickyBalancer(), nil
	}
	return nil, fmt.Errorf("franz-go has no strategy %s", strategy)
}

func (f *franz) poll() {
	defer close(f.ended)
	for {
		fetches := f.client.PollFetches(context.Background())
		if fetches.IsClientClosed() {
			return
		}
		fetches.EachError(func(topic string, partition int32, err error) {
			fmt.Fprintln(os.Stderr, "fetch", topic, partition, err)
		})
	}
}

func (f *franz) commit(partition int32, offset int64) error {
	ctx, cancel := context.WithTimeout(context.Background(), answer)
	defer cancel()
	offsets := map[string]map[int32]kgo.EpochOffset{f.topic: {partition: {Epoch: -1, Offset: offset}}}
	result := errors.New("no partition was answered")
	f.client.CommitOffsetsSync(ctx, offsets,
		func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, response *kmsg.OffsetCommitResponse, err error) {
			if err != nil {
				result = err
				return
			}
			for _, topic := range response.Topics {
				for _, place := range topic.Partitions {
					result = nil
					if place.ErrorCode != 0 {
						result = fmt.Errorf("error %d", place.ErrorCode)
					}
				}
			}
		})
	return result
}

func (f *franz) fetch(partition int32) (int64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), answer)
	defer cancel()
	offsets, err := kadm.NewClient(f.client).FetchOffsetsForTopics(ctx, f.group, f.topic)
	if err != nil {
		return 0, err
	}
	place, _ := offsets.Lookup(f.topic, partition)
	return place.At, place.Err
}

func (f *franz) leave() error {
	f.client.Close()
	<-f.ended
	return nil
}
