//go:build faults

package main

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"
)

// clockVariable names a file with the seconds by which the clock is wrong.
const clockVariable = "TEST_CLOCK_OF_DROVER"

// machineClock is one that can be set wrong while the process runs: the time of day
// steps, and what measures durations goes on evenly, as on a real machine.
func machineClock() func() time.Time {
	path := os.Getenv(clockVariable)
	if path == "" {
		return nil
	}
	var ahead atomic.Int64
	read := func() {
		text, _ := os.ReadFile(path) // without a file the clock is right
		seconds, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		ahead.Store(seconds)
	}
	read()
	go func() {
		for range time.Tick(100 * time.Millisecond) {
			read()
		}
	}()
	return func() time.Time { return stepped(time.Now(), ahead.Load()) }
}

// stepped moves the time of day alone. The standard library has no way to do so: the
// first word of a time that carries a monotonic reading has the seconds above 30 bits
// of nanoseconds.
func stepped(t time.Time, seconds int64) time.Time {
	wall := (*uint64)(unsafe.Pointer(&t))
	*wall += uint64(seconds << 30)
	return t
}
