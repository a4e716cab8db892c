package webfleettest

import (
	"cmp"
	"math"
	"sync"
	"time"

	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/sim"
)

// queue is the user's queue of messages. It hands the same ones out until they are
// acknowledged.
type queue struct {
	mu      sync.Mutex
	made    bool
	from    time.Time // since when it gathers
	taken   map[int64]bool
	handed  []int64 // the messages that were handed out last
	handout []object
}

// largestHandout is how many messages are handed out at once.
const largestHandout = 500

var (
	queueExists = &fault{9003, "queue exists already"}
	noQueue     = &fault{8, "action not allowed: there is no queue"}
)

func (s *server) createQueue() *fault {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	if s.queue.made {
		return queueExists
	}
	s.queue.made, s.queue.from, s.queue.taken = true, s.account.Now(), map[int64]bool{}
	return nil
}

func (s *server) popQueue() ([]object, *fault) {
	q := &s.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.made {
		return nil, noQueue
	}
	if q.handed != nil {
		return q.handout, nil
	}
	type arrival struct {
		vehicle sim.Vehicle
		sample  sim.Sample
	}
	var waiting []arrival
	for _, v := range s.account.Vehicles() {
		for _, p := range s.account.Arrived(v, q.from.Add(time.Nanosecond), s.account.Now().Add(time.Nanosecond)) {
			if !q.taken[p.ID] {
				waiting = append(waiting, arrival{v, p})
			}
		}
	}
	order.By(waiting, func(a, b arrival) int {
		return cmp.Or(a.sample.Received.Compare(b.sample.Received), cmp.Compare(a.sample.ID, b.sample.ID))
	})
	q.handout = []object{}
	for _, n := range waiting[:min(len(waiting), largestHandout)] {
		q.handed = append(q.handed, n.sample.ID)
		q.handout = append(q.handout, queueMessage(n.vehicle, n.sample))
	}
	return q.handout, nil
}

func (s *server) ackQueue() *fault {
	q := &s.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.made {
		return noQueue
	}
	for _, id := range q.handed {
		q.taken[id] = true
	}
	q.handed, q.handout = nil, nil
	return nil
}

// queueMessage has its times in UTC, and much that is empty.
func queueMessage(v sim.Vehicle, p sim.Sample) object {
	utc := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
	m := object{
		"msgid": p.ID, "msg_time": utc(p.Received), "msg_class": 4, "msg_type": 41100353, "msg_text": "", "objectno": v.ID,
		"objectuid": ObjectUID(v),
		"ign":       0, "trip_mode": 0, "odometer": math.Floor(*p.OdometerMetres / 100), "speed": math.Round(*p.SpeedKPH), "course": *p.Heading,
		"direction": 1, "status": "A",
		"pos_latitude": micro(p.Latitude), "pos_longitude": micro(p.Longitude), "pos_text": "", "pos_time": utc(p.Time.Time), "driveruid": "",
		"eta": "0001-01-01T00:00:00Z",
	}
	if *p.Ignition {
		m["ign"] = 1
	}
	if p.DriverID != nil {
		m["driveruid"] = DriverUID(*p.DriverID)
	}
	return m
}
