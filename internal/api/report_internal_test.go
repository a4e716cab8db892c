package api

import (
	"bytes"
	"encoding/csv"
	"html/template"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
)

// TestReportFormulasAreTexts has others name everything that a report repeats so that a
// spreadsheet would compute it.
func TestReportFormulasAreTexts(t *testing.T) {
	t.Parallel()
	const formula = `=HYPERLINK("x")`
	page, err := timeUseCSV(drover.TimeUse{
		Month:    "2024-05",
		Vehicles: []drover.TimeUseRow{{ABN: new(formula), BusinessName: formula, Registration: new(formula), Description: new(formula)}},
		LeftOut:  []drover.TimeUseTrip{{ABN: new(formula), Registration: new(formula), Reason: new(formula)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(page.body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	texts := 0
	for _, row := range rows {
		for _, cell := range row {
			if strings.HasPrefix(cell, "=") {
				t.Errorf("a cell is %s", cell)
			}
			if cell == "'"+formula {
				texts++
			}
		}
	}
	if texts != 7 {
		t.Errorf("%d cells are texts, want 7", texts)
	}
}

// TestReportPageIsEscaped holds the printed page to what html/template makes of the same markup.
func TestReportPageIsEscaped(t *testing.T) {
	t.Parallel()
	const hostile = `<script>alert("x")</script>&'%s`
	zone, err := time.LoadLocation("Australia/Sydney")
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := template.New("timeuse.html").Funcs(template.FuncMap{"clock": clockTime, "text": text}).ParseFiles("testdata/timeuse.html")
	if err != nil {
		t.Fatal(err)
	}
	sums := drover.TimeUseSeconds{Trips: 2, DrivingSeconds: new(3600.0), IdlingSeconds: new(59.0), UnknownTrips: 1}
	from := drover.At(time.Date(2024, 4, 30, 14, 0, 0, 0, time.UTC))
	for name, r := range map[string]drover.TimeUse{
		"nothing": {Month: "2024-05", TimeZone: zone.String()},
		"rows": {
			Month: hostile, TimeZone: zone.String(), From: from, To: from, Totals: sums,
			Vehicles: []drover.TimeUseRow{
				{ABN: new(hostile), BusinessName: hostile, Registration: new(hostile), Description: new(hostile), TimeUseSeconds: sums},
				{BusinessName: "b", DeviceID: hostile, TimeUseSeconds: sums},
			},
			LeftOut: []drover.TimeUseTrip{
				{ABN: new(hostile), Registration: new(hostile), StartTime: from, EndTime: from, Reason: new(hostile)},
				{DeviceID: hostile, Registration: new(hostile), StartTime: from, EndTime: from},
			},
		},
	} {
		got, err := timeUsePage(r)
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		local := func(t drover.Time) string { return t.In(zone).Format("2006-01-02 15:04") }
		if err := wanted.Execute(&want, struct {
			drover.TimeUse
			Local func(drover.Time) string
		}{r, local}); err != nil {
			t.Fatal(err)
		}
		flat := func(text []byte) string { return strings.Join(strings.Fields(string(text)), " ") }
		if diff := cmp.Diff(flat(want.Bytes()), flat(got.body)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
