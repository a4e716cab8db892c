package main

import (
	"fmt"
	"time"

	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/upkeep/retain"
)

type packCommand struct {
	config.Store
	config.Log
	listing
	PackAfter config.Age `help:"Days after which a day of positions that no longer changes is packed." default:"1d" env:"DROVER_PACK_AFTER" placeholder:"DAYS"`
}

func (packCommand) Help() string {
	return "The service packs by itself every quarter of an hour; this does it now, beside the service.\n" +
		"What may be packed is decided five minutes before: after midnight (UTC) the first run packs nothing new.\n\n" + example("drover pack")
}

func (c *packCommand) Run(w world) error {
	if c.PackAfter == 0 {
		return misused("--pack-after is off: nothing is packed")
	}
	return withStore(w, c.Store, c.Log, func(s *store.Store) error {
		now := time.Now()
		done, err := s.History.Pack(w, now, now.Add(-c.PackAfter.Duration()), 0)
		if err != nil {
			return err
		}
		readings, err := retain.PackReadings(w, s, now.Add(-c.PackAfter.Duration()), 0)
		if err != nil {
			return err
		}
		events, err := retain.PackEvents(w, s, now, 0)
		if err != nil {
			return err
		}
		return c.print(w, [][]string{{fmt.Sprintf("packed %d positions into %d blocks, %d readings, and %d events into %d", done.Positions, done.Blocks,
			readings, events.Events, events.Blocks)}},
			map[string]int{"positions": done.Positions, "blocks": done.Blocks, "readings": readings, "events": events.Events, "event_blocks": events.Blocks})
	})
}
