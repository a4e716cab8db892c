//go:build !faults

package main

import "time"

// machineClock is the real one. Only a build for `make faults` has another.
func machineClock() func() time.Time { return nil }
