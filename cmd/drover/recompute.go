package main

import (
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/store"
)

// recomputeList bounds the jobs that are shown.
const recomputeList = 1000

type connectionRecompute struct {
	connectionSync
}

func (connectionRecompute) Help() string {
	return example("drover connection recompute 0197a3c4-7d5e-7b1a-9c2d-3e4f5a6b7c8d",
		"drover connection recompute 0197a3c4-7d5e-7b1a-9c2d-3e4f5a6b7c8d --from 2026-03-01T00:00:00Z --to 2026-03-08T00:00:00Z") +
		"\n\nDerives the trips of the window again from the stored positions, by the settings that hold now. A running worker takes it up within a second. Without a window it lists the jobs of the connection's tenant."
}

func (c *connectionRecompute) Run(w world) error {
	in, err := c.window()
	if err != nil {
		return err
	}
	if in.From == nil {
		return c.read(w, func(s *store.Store, cases *fleet.Service) error {
			conn, err := c.lookUp(w, s)
			if err != nil {
				return err
			}
			jobs, err := cases.Trips.Recomputes(w, operator(conn.TenantID), "", recomputeList)
			if err != nil {
				return err
			}
			return c.show(w, jobs)
		})
	}
	return c.find(w, func(a *app.App, conn drover.Connection) error {
		job, err := a.Fleet.Trips.Recompute(asking(w, "recompute.create", "connection", conn.ID), operator(conn.TenantID),
			drover.RecomputeInput{From: *in.From, To: *in.To, ConnectionID: &conn.ID})
		if err != nil {
			return err
		}
		return c.show(w, []drover.Recompute{job})
	})
}

func (c *connectionRecompute) show(w world, jobs []drover.Recompute) error {
	rows := [][]string{{"JOB", "STATE", "FROM", "TO", "DONE", "TRIPS"}}
	for _, j := range jobs {
		rows = append(rows, []string{
			j.ID, string(j.State), j.From.String(), j.To.String(), fmt.Sprintf("%g %%", j.DonePercent),
			fmt.Sprintf("%d added, %d changed, %d removed", j.TripsAdded, j.TripsChanged, j.TripsRemoved),
		})
	}
	return c.print(w, rows, append([]drover.Recompute{}, jobs...))
}
