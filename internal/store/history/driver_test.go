package history_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/store/database"
)

const driver = "D-17"

// drives has devices driven by a driver, each with a position an hour.
func (b bench) drives(from, to time.Duration) {
	b.t.Helper()
	for _, device := range b.devices {
		positions := every(device, from, to, time.Hour)
		for i := range positions {
			positions[i].DriverID = new(driver)
		}
		b.add(positions...)
	}
}

// replaceWhilePacked packs, and replaces the driver at the first device once its rows and
// blocks were read.
func (b bench) replaceWhilePacked() {
	b.t.Helper()
	replaced := int64(0)
	b.seeing(func(s database.Statement) {
		if strings.Contains(s.Query, "FROM position_block") && slices.Contains(s.Args, any(b.devices[2])) {
			b.seeing(nil)
			var err error
			if replaced, err = b.History.RenameDriver(b.t.Context(), b.tenant, b.devices[0], driver, "erased-x"); err != nil {
				b.t.Error(err)
			}
		}
	})
	b.pack()
	if replaced == 0 {
		b.t.Error("nothing was replaced while it was packed")
	}
}

// names counts how often a device's positions name a driver.
func (b bench) names(device, driver string) (n int) {
	b.t.Helper()
	for _, p := range b.read(b.all(device)) {
		if p.DriverID != nil && *p.DriverID == driver {
			n++
		}
	}
	return n
}

// TestDriverReplacedWhilePacked replaces a driver in a day, in its rows and in its block, after
// it was read to be packed: the packing does not bring it back, and packs the day later.
func TestDriverReplacedWhilePacked(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(b bench){
		"Rows": func(b bench) { b.drives(0, day) },
		"Block": func(b bench) {
			b.drives(0, day)
			b.pack()
			b.drives(30*time.Minute, 90*time.Minute) // late ones
			b.pass(2 * day)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, b bench) {
				t.Helper()
				before(b)
				all := b.names(b.devices[0], driver)
				b.replaceWhilePacked()
				if n := b.names(b.devices[0], driver); n > 0 {
					t.Errorf("%d positions name the driver again", n)
				}
				if n := b.names(b.devices[1], driver); n != all {
					t.Errorf("%d positions of another device name the driver, want %d", n, all)
				}
				b.pass(2 * day)
				b.pack()
				if n := b.names(b.devices[0], "erased-x"); n != all {
					t.Errorf("%d positions have the pseudonym, want %d", n, all)
				}
			})
		})
	}
}
