package main

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/drover-fleet/drover/internal/provider"
)

const (
	besideRate = 20_000 // positions a second that go in
	// besideOffered is what comes, a little more: the last poll ends after its time.
	besideOffered = 1.02 * besideRate
	// besidePoll is between two polls, in time of the fleet: each connection has its own
	// moment within a minute, as those of a service have that has run for a while.
	besidePoll = time.Minute / ingestConnections
	// besideWarm are the positions before those that are measured: each device has its
	// state then.
	besideWarm  = 30_000
	besideCount = 200_000
)

// poll is what a connection has for one poll.
type poll struct {
	feed *feed
	at   time.Time
	page []provider.Position
}

// script makes the polls of some positions ahead, so that the simulation takes no time from
// what is measured.
func (i *intake) script(count int) (polls []poll) {
	at := i.present
	for n := 0; count > 0; n++ {
		at = at.Add(besidePoll)
		p := poll{feed: i.feeds[n%len(i.feeds)], at: at}
		p.feed.tell(at)
		p.page, p.feed.page = p.feed.page, nil
		polls = append(polls, p)
		count -= len(p.page)
	}
	return polls
}

// stream takes positions in at an even rate, one connection after the other and more at once
// where it is behind, and returns which rate was reached.
func (i *intake) stream(ctx context.Context, polls []poll) (float64, error) {
	begun, total := time.Now(), 0
	for len(polls) > 0 {
		due := begun.Add(time.Duration(float64(total) / besideOffered * float64(time.Second)))
		select {
		case <-time.After(time.Until(due)):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		n := 0
		for ; n < len(polls) && float64(total) <= besideOffered*time.Since(begun).Seconds(); n++ {
			p := polls[n]
			i.present, p.feed.page = p.at, append(p.feed.page, p.page...)
			total += len(p.page)
		}
		var workers errgroup.Group
		for range min(n, ingestWorkers) {
			workers.Go(func() error { return i.collector.RunDue(ctx) })
		}
		if err := workers.Wait(); err != nil {
			return 0, err
		}
		polls = polls[n:]
	}
	return float64(total) / time.Since(begun).Seconds(), nil
}
