package main

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store"
)

type etaReportCommand struct {
	config.Store
	config.Log
	listing
	Tenant string `help:"Only this tenant's milestones." placeholder:"NAME"`
	Days   int    `help:"Only arrivals of the last days." default:"30"`
}

func (etaReportCommand) Help() string {
	return example("drover eta-report", "drover eta-report --tenant northern-haulage --days 7")
}

// Run prints how far the predicted arrivals were from the real ones.
func (c *etaReportCommand) Run(w world) error {
	if c.Days < 1 {
		return misused("--days must be at least 1")
	}
	return withExisting(w, c.Store, c.Log, func(s *store.Store) error {
		tenant := ""
		if c.Tenant != "" {
			t, err := findTenant(w, s, c.Tenant)
			if err != nil {
				return err
			}
			tenant = t.ID
		}
		outcomes, err := s.Trips.Outcomes(w, tenant, drover.At(now().AddDate(0, 0, -c.Days)))
		if err != nil {
			return err
		}
		rows := etaReport(outcomes)
		return c.print(w, rows, etaRecords(rows))
	})
}

// etaBands are the times before an arrival that the report tells apart.
var etaBands = []struct {
	name string
	upTo time.Duration
}{
	{"under 15 min", 15 * time.Minute},
	{"15 to 60 min", time.Hour},
	{"1 to 4 h", 4 * time.Hour},
	{"over 4 h", math.MaxInt64},
}

// etaReport is a table with a row for each band and one for all.
func etaReport(outcomes []store.Outcome) [][]string {
	rows := [][]string{{
		"BEFORE ARRIVAL", "JOURNEYS", "PREDICTIONS", "MEDIAN ERROR", "90TH PERCENTILE", "MEDIAN OF REMAINING",
		"90TH PERCENTILE", "BIAS",
	}}
	from := time.Duration(0)
	for _, band := range etaBands {
		rows = append(rows, etaRow(band.name, slices.DeleteFunc(slices.Clone(outcomes), func(o store.Outcome) bool {
			before := o.ArrivedAt.Sub(o.Time.Time)
			return before < from || before >= band.upTo
		})))
		from = band.upTo
	}
	return append(rows, etaRow("all", outcomes))
}

// etaRecords are the rows of the report by the names of their columns.
func etaRecords(rows [][]string) []map[string]string {
	names := []string{
		"before_arrival", "journeys", "predictions", "median_error", "p90_error", "median_of_remaining", "p90_of_remaining",
		"bias",
	}
	out := []map[string]string{}
	for _, row := range rows[1:] {
		record := map[string]string{}
		for i, name := range names {
			record[name] = row[i]
		}
		out = append(out, record)
	}
	return out
}

func etaRow(name string, outcomes []store.Outcome) []string {
	if len(outcomes) == 0 {
		return []string{name, "0", "0", "-", "-", "-", "-", "-"}
	}
	journeys := map[string]bool{}
	var far, share, bias []float64
	for _, o := range outcomes {
		journeys[o.MilestoneID] = true
		late := o.ETA.Sub(o.ArrivedAt.Time).Seconds()
		far = append(far, math.Abs(late))
		share = append(share, math.Abs(late)/o.ArrivedAt.Sub(o.Time.Time).Seconds()*100)
		bias = append(bias, late)
	}
	duration := func(seconds float64) string {
		return (time.Duration(seconds) * time.Second).String()
	}
	return []string{
		name, fmt.Sprint(len(journeys)), fmt.Sprint(len(outcomes)), duration(percentile(far, 50)), duration(percentile(far, 90)),
		fmt.Sprintf("%.1f %%", percentile(share, 50)), fmt.Sprintf("%.1f %%", percentile(share, 90)), duration(percentile(bias, 50)),
	}
}

// percentile returns the value that p percent of the others do not exceed.
func percentile(values []float64, p int) float64 {
	slices.Sort(values)
	return values[min(len(values)*p/100, len(values)-1)]
}
