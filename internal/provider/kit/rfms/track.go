package rfms

import "time"

const (
	// silence ends a trip that no event began: statuses come at least hourly
	// while a vehicle is under way.
	silence = 75 * time.Minute
	// longSilence ends a trip that an event began. Its end is an event too,
	// which may come late where there is no reception.
	longSilence = 24 * time.Hour
	// pair is how close the two events of one start are: ignition and engine.
	pair = 5 * time.Minute
)

// turn is what a status says of the engine.
type turn int

const (
	noTurn turn = iota
	running
	resting
	ignitionOn
	ignitionOff
	engineOn
	engineOff
)

// turn returns the event of a status. Makers may send events of the ignition, of
// the engine, of both, or of neither; the state of the ignition, where it is
// reported, stands in for a missing one.
func (r report) turn() turn {
	on := r.Snapshot.Ignition.Ptr()
	speed := r.speed()
	switch name := r.trigger(); {
	case name == "IGNITION_ON", name == "IGNITION_CHANGE" && on != nil && *on:
		return ignitionOn
	case name == "IGNITION_OFF", name == "IGNITION_CHANGE" && on != nil:
		return ignitionOff
	case name == "ENGINE_ON":
		return engineOn
	case name == "ENGINE_OFF":
		return engineOff
	case on != nil && !*on:
		return resting
	case on != nil, speed != nil && *speed > 0:
		return running
	default:
		return noTurn
	}
}

// track is what is known of one vehicle: a trip under way, or rest.
//
// A trip goes from ignition on to ignition off, or from engine on to engine off
// where the ignition is not reported: an engine that stops at lights ends no trip.
// Both events are optional in the standard. Where the first is missing, a trip
// begins with the first status that shows the vehicle running; where the second
// is, it ends with the last one that does, once the next trip begins or after a
// long silence.
type track struct {
	Start *mark `json:"s,omitempty"` // of the trip under way
	Last  *mark `json:"l,omitempty"` // the last that showed it running
	// Ignition and Event say what began it: the ignition, any event.
	Ignition bool `json:"g,omitempty"`
	Event    bool `json:"e,omitempty"`
	// Cut says that it was under way before the first report that was read, so
	// that its start is not known.
	Cut  bool  `json:"c,omitempty"`
	Seen int64 `json:"n"`           // the newest status
	Done int64 `json:"d,omitempty"` // the end of the last trip
}

// take follows one status and returns the trips that it ends. Begin is when the
// reading of statuses began.
func (t *track) take(r report, begin int64) (done []leg) {
	m := r.mark()
	switch what := r.turn(); what {
	case ignitionOn, engineOn:
		done = t.begin(m, what == ignitionOn)
	case ignitionOff, resting:
		done = t.end(m)
	case engineOff:
		if t.Ignition {
			t.advance(m)
		} else {
			done = t.end(m)
		}
	case running:
		done = t.run(m, begin)
	case noTurn:
		if t.moved(m) {
			t.advance(m)
		}
	}
	t.Seen = max(t.Seen, m.At)
	return done
}

// begin handles an event that starts a trip. One that is under way has missed its
// end, unless this is the other event of the same start.
func (t *track) begin(m mark, ignition bool) (done []leg) {
	switch {
	case m.At <= t.Done:
		return nil // of a trip that was returned before
	case t.Start != nil && (t.Cut || m.At <= t.Start.At):
		t.Start, t.Cut = &m, false // the start that was missing, or comes late
		t.advance(m)
	case t.Start != nil && m.At-t.Start.At <= pair.Milliseconds():
	case t.Start != nil && t.Ignition && !ignition:
		t.advance(m) // an engine that stopped at lights
		return nil
	default:
		done = t.finish()
		t.Start, t.Last, t.Ignition, t.Cut = &m, &m, false, false
	}
	t.Event = true
	t.Ignition = t.Ignition || ignition
	return done
}

// end handles a status that ends the trip under way.
func (t *track) end(m mark) (done []leg) {
	if t.Start == nil || m.At <= t.Start.At {
		return nil
	}
	t.Last = &m
	return t.finish()
}

// run handles a status of a vehicle that is under way.
func (t *track) run(m mark, begin int64) (done []leg) {
	done = t.expire(m.At)
	if t.Start != nil {
		t.advance(m)
		return done
	}
	if m.At > t.Done && m.At > t.Seen {
		known := t.Seen > 0 || m.At >= begin+silence.Milliseconds()
		t.Start, t.Last, t.Event, t.Ignition, t.Cut = &m, &m, false, false, !known
	}
	return done
}

// expire ends a trip of which nothing was heard for long.
func (t *track) expire(now int64) []leg {
	patience := silence
	if t.Event {
		patience = longSilence
	}
	if t.Start == nil || now-t.Last.At <= patience.Milliseconds() {
		return nil
	}
	return t.finish()
}

// moved reports whether a status shows more metres than the last one.
func (t *track) moved(m mark) bool {
	return t.Last != nil && t.Last.Metres != nil && m.Metres != nil && *m.Metres > *t.Last.Metres
}

func (t *track) advance(m mark) {
	if t.Last != nil && m.At > t.Last.At {
		t.Last = &m
	}
}

// finish ends the trip under way with the last status that belongs to it. A trip
// without a known start, or without a length, is none.
func (t *track) finish() (done []leg) {
	if t.Start != nil && t.Last.At > t.Start.At {
		if !t.Cut {
			done = []leg{{*t.Start, *t.Last}}
		}
		t.Done = t.Last.At
	}
	t.Start, t.Last, t.Event, t.Ignition, t.Cut = nil, nil, false, false, false
	return done
}
