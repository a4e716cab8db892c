package main

import (
	"fmt"
	"syscall"
	"time"
)

// spent tells the processor time that has been used so far, which other work on the machine
// disturbs less than the time that passed.
type spent func() (time.Duration, error)

// spent counts this process and, for parts that use it, the private PostgreSQL.
func (b *bench) spent(database string) spent {
	return func() (time.Duration, error) {
		var usage syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
			return 0, fmt.Errorf("read the processor time: %w", err)
		}
		used := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		if database == "embedded" {
			return used, nil
		}
		if database == onCitus {
			times, err := b.serverTimes()
			for _, t := range times {
				used += t
			}
			return used, err
		}
		served, err := b.postgres.ProcessorTime()
		return used + served, err
	}
}

// during is what f uses.
func (s spent) during(f func() error) (time.Duration, error) {
	before, err := s()
	if err != nil {
		return 0, err
	}
	if err := f(); err != nil {
		return 0, err
	}
	after, err := s()
	return after - before, err
}
