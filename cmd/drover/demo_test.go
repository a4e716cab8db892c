package main

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

func TestHeldWriter(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	held := &heldWriter{to: &out}
	fmt.Fprint(held, "before ")
	if out.Len() != 0 {
		t.Errorf("wrote %q before the release", &out)
	}
	held.release()
	fmt.Fprint(held, "after")
	held.release()
	if out.String() != "before after" {
		t.Errorf("got %q", &out)
	}
}

func TestDemoClock(t *testing.T) {
	t.Parallel()
	now := time.Now().Add(-time.Minute)
	past := time.Date(2026, 11, 12, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name     string
		demo     demoCommand
		begin    time.Time
		from, to time.Duration
	}{
		{"real time", demoCommand{Speed: 1}, now, time.Minute, time.Hour},
		{"faster", demoCommand{Speed: 20}, now, 0, time.Hour},
		{"from a time on", demoCommand{Speed: 1, Start: past}, past, 0, time.Hour},
	} {
		begin := c.demo.begin(now)
		if !begin.Equal(c.begin) {
			t.Errorf("%s: the demo begins at %v, want %v", c.name, begin, c.begin)
		}
		if passed := c.demo.clock(begin)().Sub(begin); passed < c.from || passed > c.to {
			t.Errorf("%s: the demo is at %v, want from %v to %v", c.name, passed, c.from, c.to)
		}
	}
}

func TestDemoSpeedIsBounded(t *testing.T) {
	t.Parallel()
	for _, speed := range []float64{0, 0.5, 101} {
		demo := demoCommand{Speed: speed, Data: t.TempDir()}
		if err := demo.Run(world{Context: t.Context()}); err == nil {
			t.Errorf("speed %v was taken", speed)
		}
	}
}
