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
	started := time.Now().Add(-time.Minute)
	for _, c := range []struct {
		speed    float64
		from, to time.Duration
	}{{1, time.Minute, 2 * time.Minute}, {20, 0, time.Minute}} {
		demo := demoCommand{Speed: c.speed}
		if passed := demo.clock(started)().Sub(started); passed < c.from || passed > c.to {
			t.Errorf("at speed %v the demo is at %v, want from %v to %v", c.speed, passed, c.from, c.to)
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
