package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"sync"

	"github.com/IBM/sarama"
)

type saramaMember struct {
	seat
	client sarama.Client
	group  sarama.ConsumerGroup
	owns   *owner
	cancel context.CancelFunc
	ended  chan struct{}

	lock    sync.Mutex
	session sarama.ConsumerGroupSession
}

func joinSarama(mine seat, owns *owner) (member, error) {
	sarama.Logger = log.New(os.Stderr, "[sarama] ", log.Ltime|log.Lmicroseconds)
	config := sarama.NewConfig()
	config.ClientID = mine.name
	config.Consumer.Offsets.AutoCommit.Enable = false
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	config.Consumer.Group.Session.Timeout = session
	config.Consumer.Group.Heartbeat.Interval = heartbeat
	config.Consumer.Return.Errors = true
	if mine.strategy != "default" {
		strategy, err := saramaStrategy(mine.strategy)
		if err != nil {
			return nil, err
		}
		config.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{strategy}
	}
	config.Consumer.Group.InstanceId = mine.instance
	client, err := sarama.NewClient([]string{mine.server}, config)
	if err != nil {
		return nil, err
	}
	group, err := sarama.NewConsumerGroupFromClient(mine.group, client)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	joined := &saramaMember{
		seat: mine, client: client, group: group, owns: owns, cancel: cancel, ended: make(chan struct{}),
	}
	go func() {
		for err := range group.Errors() {
			log.Print("told of an error: ", err)
		}
	}()
	go joined.consume(ctx)
	return joined, nil
}

func saramaStrategy(name string) (sarama.BalanceStrategy, error) {
	switch name {
	case sarama.RangeBalanceStrategyName:
		return sarama.NewBalanceStrategyRange(), nil
	case sarama.RoundRobinBalanceStrategyName:
		return sarama.NewBalanceStrategyRoundRobin(), nil
	case sarama.StickyBalanceStrategyName:
		return sarama.NewBalanceStrategySticky(), nil
	case sarama.CooperativeStickyBalanceStrategyName:
		return sarama.NewBalanceStrategyCooperativeSticky(), nil
	}
	return nil, fmt.Errorf("sarama has no strategy %s", name)
}

// consume joins again whenever a session has ended, as the library's documentation asks.
func (s *saramaMember) consume(ctx context.Context) {
	defer close(s.ended)
	for ctx.Err() == nil {
		if err := s.group.Consume(ctx, []string{s.topic}, s); err != nil {
			log.Print("the session ended: ", err)
		}
	}
}

// Setup is told of a new session; its claims begin after it.
func (s *saramaMember) Setup(session sarama.ConsumerGroupSession) error {
	s.owns.assigned()
	s.keep(session)
	return nil
}

// Cleanup is told of its end.
func (s *saramaMember) Cleanup(sarama.ConsumerGroupSession) error {
	s.keep(nil)
	return nil
}

// ConsumeClaim lasts as long as the member owns the partition.
func (s *saramaMember) ConsumeClaim(_ sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	s.owns.claimed(claim.Partition())
	defer s.owns.revoked(claim.Partition())
	for range claim.Messages() {
	}
	return nil
}

func (s *saramaMember) keep(session sarama.ConsumerGroupSession) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.session = session
}

// commit tells no error: the library tells them elsewhere. Who commits must fetch to know.
func (s *saramaMember) commit(partition int32, offset int64) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.session == nil {
		return errors.New("between two sessions")
	}
	s.session.MarkOffset(s.topic, partition, offset, "interop")
	s.session.Commit()
	return nil
}

func (s *saramaMember) fetch(partition int32) (int64, error) {
	admin, err := sarama.NewClusterAdminFromClient(s.client)
	if err != nil {
		return 0, err
	}
	answer, err := admin.ListConsumerGroupOffsets(s.seat.group, map[string][]int32{s.topic: {partition}})
	if err != nil {
		return 0, err
	}
	place := answer.GetBlock(s.topic, partition)
	if place == nil {
		return 0, fmt.Errorf("partition %d was not answered: %w", partition, answer.Err)
	}
	if place.Err != sarama.ErrNoError {
		return 0, place.Err
	}
	return place.Offset, nil
}

func (s *saramaMember) leave() error {
	s.cancel()
	err := s.group.Close()
	<-s.ended
	return errors.Join(err, s.client.Close())
}
