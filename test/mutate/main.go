// Command mutate changes packages in one place after another and sees whether their tests fail. All changes of a package
// are compiled into one test program, which makes the one that the environment names: a change takes a run of the tests
// and no build. No file of the package is touched. A change that no test notices is printed with its place.
//
// It changes comparisons (the bound, and the negation), arithmetic, steps up and down, and signs, also in the conditions of
// a case. Declared constants, the lengths of arrays, and what does not compile are left out.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"strings"
	"time"
)

func main() {
	least := flag.Float64("least", 0, "fail where a smaller share of a package's changes is noticed, in per cent")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	out := log.New(os.Stdout, "", 0)
	failed := false
	for _, path := range flag.Args() {
		start := time.Now()
		r, err := measure(ctx, path)
		if err != nil {
			log.Fatalf("%s: %v", path, err)
		}
		for _, m := range r.survived {
			out.Printf("%s/%s survived: %s", strings.TrimSuffix(path, "/"), m.place, m.change)
		}
		killed := r.all - len(r.survived)
		share := 100 * float64(killed) / float64(max(r.all, 1))
		out.Printf("%s: %d of %d killed (%.1f %%), %d of them by running too long; %d do not compile; %s",
			path, killed, r.all, share, r.hung, r.leftOut, time.Since(start).Round(time.Second))
		failed = failed || share < *least
	}
	if failed {
		log.Fatalf("fewer than %g %% of a package's changes are noticed", *least)
	}
}
