package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/drover-fleet/drover/internal/keys/auth"
)

// hashesArgument makes this program hash instead: it starts itself again with it.
const hashesArgument = "hashes-for"

// hashRate is how many passwords all cores verify a second, in a process that does nothing
// else: this one has a large heap, which is looked through for every few hashes.
func hashRate(ctx context.Context, span time.Duration) (float64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, fmt.Errorf("find this program: %w", err)
	}
	out, err := exec.CommandContext(ctx, self, hashesArgument, span.String()).Output()
	if err != nil {
		return 0, fmt.Errorf("hash in another process: %w", err)
	}
	return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
}

// hashFor is the other process. It prints its rate.
func hashFor(text string) error {
	span, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("read how long to hash: %w", err)
	}
	hash, err := auth.Hash(besidePassword, rand.Reader)
	if err != nil {
		return err
	}
	if _, err := verifyFor(span/4, hash); err != nil { // until it has its memory
		return err
	}
	rate, err := verifyFor(span, hash)
	fmt.Println(rate)
	return err
}

// verifyFor verifies a password on all cores, and returns how often in a second.
func verifyFor(span time.Duration, hash string) (float64, error) {
	begun := time.Now()
	counts := make([]int, runtime.GOMAXPROCS(0))
	var all errgroup.Group
	for n := range counts {
		all.Go(func() error {
			for time.Since(begun) < span {
				if _, err := auth.Verify(hash, besidePassword); err != nil {
					return err
				}
				counts[n]++
			}
			return nil
		})
	}
	err := all.Wait()
	total := 0
	for _, n := range counts {
		total += n
	}
	return float64(total) / time.Since(begun).Seconds(), err
}
