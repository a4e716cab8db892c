package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"

	"github.com/drover-fleet/drover/bench/table"
)

// Targets of the console's map: what it may cost beside a map without vehicles.
const (
	mapFrameTarget  = 0.8
	mapUpdateTarget = 5.0       // milliseconds for 10,000 vehicles
	mapScriptTarget = 1.0       // milliseconds of a frame
	mapHeapTarget   = 150 << 20 // with 50,000 vehicles
	mapFew          = 10_000
	mapMany         = 50_000
)

// mapFigures is what the browser says of one run; times are milliseconds.
type mapFigures struct {
	Vehicles        int     `json:"vehicles"`
	FramesPerSecond float64 `json:"framesPerSecond"`
	UpdateMedian    float64 `json:"updateMedian"`
	UpdateLongest   float64 `json:"updateLongest"`
	ScriptPerFrame  float64 `json:"scriptPerFrame"`
	LongTasks       float64 `json:"longTasks"`
	HeapBytes       float64 `json:"heapBytes"`
	// Processor is the time of all of the browser's processes for a frame: where the
	// machine is busy with other things it says more than the frames.
	Processor float64 `json:"processorPerFrame"`
}

// mapRun is a fleet and the bare map that was measured just before it.
type mapRun struct {
	Bare  mapFigures `json:"bare"`
	Fleet mapFigures `json:"fleet"`
}

func times(v float64) string { return fmt.Sprintf("%.0f", v) }

// console measures the console's map in a real browser, with moving vehicles and
// without. It needs Chromium, and the console's packages (make console).
func (b *bench) console(ctx context.Context) error {
	b.progress("draw moving vehicles in a browser")
	command := exec.CommandContext(ctx, "npx", "tsx", "test/bench/run.ts")
	command.Dir, command.Stderr = "web", os.Stderr
	out, err := command.Output()
	if err != nil {
		return fmt.Errorf("run the browser: %w", err)
	}
	var runs []mapRun
	if err := json.Unmarshal(out, &runs); err != nil {
		return fmt.Errorf("read the browser's figures: %w", err)
	}
	b.mapFleet(runs, mapFew, mapFrameTarget)
	b.mapFleet(runs, mapMany, 0)
	return nil
}

// mapFleet adds the figures of one size of fleet, each the best of the rounds.
func (b *bench) mapFleet(runs []mapRun, vehicles int, frameTarget float64) {
	runs = slices.DeleteFunc(slices.Clone(runs), func(r mapRun) bool { return r.Fleet.Vehicles != vehicles })
	if len(runs) == 0 {
		return
	}
	name := "map, " + table.Thousands(float64(vehicles)) + " vehicles"
	best := slices.MaxFunc(runs, func(x, y mapRun) int {
		return cmp.Compare(x.Fleet.FramesPerSecond/x.Bare.FramesPerSecond, y.Fleet.FramesPerSecond/y.Bare.FramesPerSecond)
	})
	b.table.AtLeast(name+": frames", best.Fleet.FramesPerSecond, "bare map", best.Bare.FramesPerSecond, frameTarget)
	b.table.Add(name+": processor of a frame", table.Milliseconds(best.Fleet.Processor), "bare map", table.Milliseconds(best.Bare.Processor),
		fmt.Sprintf("%.2f", best.Bare.Processor/best.Fleet.Processor), "", "")
	if vehicles == mapFew {
		b.table.AtMost(name+": update", least(runs, func(f mapFigures) float64 { return f.UpdateMedian }), mapUpdateTarget, table.Milliseconds)
		b.table.AtMost(name+": script of a frame", least(runs, func(f mapFigures) float64 { return f.ScriptPerFrame }), mapScriptTarget,
			table.Milliseconds)
		return
	}
	b.table.Add(name+": update", table.Milliseconds(least(runs, func(f mapFigures) float64 { return f.UpdateMedian })), "", "", "", "", "")
	b.table.Add(name+": tasks over 50 ms", times(least(runs, func(f mapFigures) float64 { return f.LongTasks })), "bare map",
		times(best.Bare.LongTasks), "", "", "")
	b.table.AtMost(name+": heap", least(runs, func(f mapFigures) float64 { return f.HeapBytes }), mapHeapTarget, table.Mebibytes)
}

// least is the smallest of a figure of the fleets' runs.
func least(runs []mapRun, figure func(mapFigures) float64) float64 {
	smallest := math.Inf(1)
	for _, r := range runs {
		smallest = min(smallest, figure(r.Fleet))
	}
	return smallest
}
