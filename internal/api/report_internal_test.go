package api

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

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
