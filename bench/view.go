package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/web"
)

// Targets of the console as a person meets it, with a fleet of 10,000 devices. The
// browser's own figures are taken at a quarter of the processor.
const (
	viewTarget     = 1000.0 // milliseconds from signing in to the overview
	viewMapTarget  = 2500.0 // milliseconds from the overview to the first vehicles on the map
	viewByteTarget = 150_000
	lcpTarget      = 1200.0
	clsTarget      = 0.02
	inpTarget      = 200.0
	blockingTarget = 150.0
	growthTarget   = 10 << 20
	nodeTarget     = 1500
)

// viewFigures is what the browser says of one visit; times are milliseconds.
type viewFigures struct {
	Overview float64 `json:"overview"`
	// Map is until the first vehicles are drawn, Whole until the map and its list are
	// complete, Bare until a map without vehicles is.
	Map      float64 `json:"map"`
	Whole    float64 `json:"whole"`
	Bare     float64 `json:"bare"`
	Bytes    float64 `json:"bytes"`
	LCP      float64 `json:"lcp"`
	CLS      float64 `json:"cls"`
	INP      float64 `json:"inp"`
	Blocking float64 `json:"blocking"`
}

// memoryFigures is what a map holds that stays open over a moving fleet.
type memoryFigures struct {
	Minutes float64 `json:"minutes"`
	Heap    float64 `json:"heap"`
	Growth  float64 `json:"growth"`
	Nodes   float64 `json:"nodes"`
}

// view measures the console in a real browser: the first view of a large fleet, what
// the browser says of its quality, and its memory over time. It needs Chromium, and the
// program with its console (make build).
func (b *bench) view(ctx context.Context) error {
	b.progress("open the console in a browser")
	a, err := b.embedded(ctx, "view")
	if err != nil {
		return err
	}
	if err := fillMap(ctx, a.Store); err != nil {
		return errors.Join(err, a.Close())
	}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if web.Serves(r) {
			a.Console.ServeHTTP(w, r)
			return
		}
		a.API.ServeHTTP(w, r)
	}))
	err = b.browse(ctx, service.URL)
	service.CloseClientConnections()
	service.Close()
	return errors.Join(err, a.Close())
}

func (b *bench) browse(ctx context.Context, address string) error {
	command := exec.CommandContext(ctx, filepath.Join("node_modules", ".bin", "tsx"), "test/bench/view.ts")
	command.Dir, command.Stderr = "web", os.Stderr
	command.Env = append(os.Environ(), "URL="+address, "USERNAME=map", "PASSWORD="+mapPassword,
		fmt.Sprint("ROUNDS=", b.rounds), fmt.Sprint("MINUTES=", b.minutes))
	out, err := command.Output()
	if err != nil {
		return fmt.Errorf("run the browser: %w", err)
	}
	var figures struct {
		Views  []viewFigures `json:"views"`
		Memory memoryFigures `json:"memory"`
	}
	if err := json.Unmarshal(out, &figures); err != nil {
		return fmt.Errorf("read the browser's figures: %w", err)
	}
	b.viewTable(figures.Views, figures.Memory)
	return nil
}

// viewTable adds the figures, each the best of the rounds.
func (b *bench) viewTable(views []viewFigures, memory memoryFigures) {
	best := func(of func(viewFigures) float64) float64 {
		if len(views) == 0 {
			return math.NaN()
		}
		return of(slices.MinFunc(views, func(x, y viewFigures) int { return cmp.Compare(of(x), of(y)) }))
	}
	fleet := "console, " + table.Thousands(mapDevices) + " devices: "
	b.table.AtMost(fleet+"sign in to overview", best(func(v viewFigures) float64 { return v.Overview }), viewTarget, table.Milliseconds)
	b.table.AtMost(fleet+"overview to first vehicles", best(func(v viewFigures) float64 { return v.Map }), viewMapTarget, table.Milliseconds)
	whole, bare := best(func(v viewFigures) float64 { return v.Whole }), best(func(v viewFigures) float64 { return v.Bare })
	b.table.Add(fleet+"overview to whole map", table.Milliseconds(whole), "bare map", table.Milliseconds(bare),
		fmt.Sprintf("%.2f", bare/whole), "", "")
	b.table.AtMost("console: bytes of the first view", best(func(v viewFigures) float64 { return v.Bytes }), viewByteTarget, kilobytes)
	slow := "console, a quarter of the processor: "
	b.table.AtMost(slow+"largest paint", best(func(v viewFigures) float64 { return v.LCP }), lcpTarget, table.Milliseconds)
	b.table.AtMost(slow+"layout shift", best(func(v viewFigures) float64 { return v.CLS }), clsTarget,
		func(v float64) string { return fmt.Sprintf("%.3f", v) })
	b.table.AtMost(slow+"interaction to next paint", best(func(v viewFigures) float64 { return v.INP }), inpTarget, table.Milliseconds)
	b.table.AtMost(slow+"blocked", best(func(v viewFigures) float64 { return v.Blocking }), blockingTarget, table.Milliseconds)
	open := fmt.Sprintf("map open for %g min: ", memory.Minutes)
	b.table.Add(open+"heap", table.Mebibytes(memory.Heap), "", "", "", "", "")
	// What shrinks has grown by nothing.
	b.table.AtMost(open+"heap grown by", max(0, memory.Growth), growthTarget, table.Mebibytes)
	b.table.AtMost(open+"nodes", memory.Nodes, nodeTarget, times)
}

func kilobytes(v float64) string { return fmt.Sprintf("%.1f KB", v/1000) }
