package attack

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/drover-fleet/drover/bench/load"
	"github.com/drover-fleet/drover/bench/service"
)

// refused stands for a request that was refused, or whose connection was cut: anyone who
// is turned away was not served in time.
const refused = time.Minute

// latencies are how long requests took.
type latencies []time.Duration

// p99 is the time within which 99 of 100 were answered, in milliseconds.
func (l latencies) p99() float64 {
	if len(l) == 0 {
		return milli(refused)
	}
	slices.Sort(l)
	return milli(l[int(math.Ceil(0.99*float64(len(l))))-1])
}

func milli(d time.Duration) float64 { return d.Seconds() * 1000 }

// noticed is what a tenant notices of an attack by another.
type noticed struct{ writes, reads latencies }

// notice sends small requests of the tenant that is to notice nothing, one after the
// other, as people and programs of a small fleet do.
func (g *siege) notice(ctx context.Context, span time.Duration) (noticed, error) {
	var n noticed
	get := func(path string) load.Request { return load.NewRequest(http.MethodGet, path, g.Token, "") }
	reads := []load.Request{get("/connection"), get("/account/summary")}
	for _, d := range g.World.Devices {
		reads = append(reads, get("/device/"+d.ID), get("/trip?limit=10&device_id="+d.ID))
	}
	select {
	case <-time.After(attackBegin):
	case <-ctx.Done():
		return n, ctx.Err()
	}
	until := time.Now().Add(span)
	var both sync.WaitGroup
	both.Go(func() { n.writes = g.measure(ctx, service.Patches(g.Place), until) })
	both.Go(func() { n.reads = g.measure(ctx, reads, until) })
	both.Wait()
	if len(n.writes) == 0 || len(n.reads) == 0 {
		return n, fmt.Errorf("%d writes and %d reads were tried", len(n.writes), len(n.reads))
	}
	return n, ctx.Err()
}

// measure sends requests in turns, with a short pause after each.
func (g *siege) measure(ctx context.Context, requests []load.Request, until time.Time) (took latencies) {
	var c *load.Conn
	defer func() {
		if c != nil {
			_ = c.Close() // all has been read
		}
	}()
	for i := 0; time.Now().Before(until) && ctx.Err() == nil; i++ {
		begun := time.Now()
		if c == nil {
			var err error
			if c, err = load.Dial(ctx, g.Server.Address); err != nil {
				c, took = nil, append(took, refused)
				continue
			}
		}
		status, err := c.Send(requests[i%len(requests)])
		switch {
		case err != nil:
			_ = c.Close() // it is of no use any more
			c, took = nil, append(took, refused)
		case status/100 != 2:
			took = append(took, refused)
		default:
			took = append(took, time.Since(begun))
		}
		time.Sleep(10 * time.Millisecond)
	}
	return took
}
