package api

import (
	"bytes"
	"fmt"
	"html"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/openapi"
)

// markup is HTML with places for texts. It is not filled by html/template, which looks for methods by name: a program
// that does so keeps every exported method of every type.
type markup string

const (
	timeUseHead markup = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Time use %[1]s</title>
<style>
  @page { size: A4 landscape; margin: 15mm; }
  body { font: 11pt/1.4 system-ui, sans-serif; color: #111; background: #fff; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
  table { border-collapse: collapse; width: 100%%; margin-bottom: 2rem; }
  th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #bbb; vertical-align: top; }
  th { border-bottom: 2px solid #111; }
  .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  tfoot td { font-weight: bold; border-top: 2px solid #111; border-bottom: 0; }
  thead { display: table-header-group; }
  tr { break-inside: avoid; }
  @media print { body { margin: 0; max-width: none; padding: 0; } }
</style>
<h1>Time use %[1]s</h1>
<p>Valid trips that started from %[2]s until before %[3]s (%[4]s). Times are hours and minutes.</p>
<table>
  <thead><tr><th>Registration number<th>Business<th>Vehicle<th class="n">Trips<th class="n">Driving<th class="n">Idling<th class="n">Auxiliary</tr></thead>
  <tbody>`
	timeUseRow markup = `
  <tr><td>%s<td>%s<td>%s%s<td class="n">%s<td class="n">%s<td class="n">%s<td class="n">%s</tr>`
	timeUseNoRow markup = `
  <tr><td colspan="7">No valid trip started in this month.</tr>`
	timeUseTotals markup = `
  </tbody>
  <tfoot><tr><td colspan="3">Total<td class="n">%s<td class="n">%s<td class="n">%s<td class="n">%s</tr></tfoot>
</table>
`
	timeUseUnknown markup = `<p>%s of these trips leave one of the times open, because their provider does not report it: the sums lack it.</p>`
	timeUseLeftOut markup = `
<h2>Left out</h2>
`
	timeUseLeftHead markup = `
<table>
  <thead><tr><th>Registration number<th>Vehicle<th>Started<th>Ended<th>Reason</tr></thead>
  <tbody>`
	timeUseLeftRow markup = `
  <tr><td>%s<td>%s<td class="n">%s<td class="n">%s<td>%s</tr>`
	timeUseLeftTail markup = `
  </tbody>
</table>
`
	timeUseNoLeft markup = `<p>Every trip of the month counts.</p>`
	timeUseTail   markup = `
</html>
`
)

// fill writes a markup with texts in its places, each escaped.
func (m markup) fill(w *bytes.Buffer, texts ...any) {
	for i := range texts {
		texts[i] = html.EscapeString(fmt.Sprint(texts[i]))
	}
	fmt.Fprintf(w, string(m), texts...)
}

// timeUsePage is the report as a page that can be printed.
func timeUsePage(r drover.TimeUse) (document, error) {
	zone, err := time.LoadLocation(r.TimeZone)
	if err != nil {
		return document{}, fmt.Errorf("load the time zone: %w", err)
	}
	local := func(t drover.Time) string { return t.In(zone).Format("2006-01-02 15:04") }
	vehicle := func(registration *string, id string) string {
		if text(registration) == "" {
			return id
		}
		return *registration
	}
	var w bytes.Buffer
	timeUseHead.fill(&w, r.Month, local(r.From), local(r.To), r.TimeZone)
	for _, v := range r.Vehicles {
		description := text(v.Description)
		if description != "" {
			description = " · " + description
		}
		timeUseRow.fill(&w, text(v.ABN), v.BusinessName, vehicle(v.Registration, v.DeviceID), description, v.Trips,
			clockTime(v.DrivingSeconds), clockTime(v.IdlingSeconds), clockTime(v.AuxiliarySeconds))
	}
	if len(r.Vehicles) == 0 {
		timeUseNoRow.fill(&w)
	}
	timeUseTotals.fill(&w, r.Totals.Trips, clockTime(r.Totals.DrivingSeconds), clockTime(r.Totals.IdlingSeconds),
		clockTime(r.Totals.AuxiliarySeconds))
	if r.Totals.UnknownTrips > 0 {
		timeUseUnknown.fill(&w, r.Totals.UnknownTrips)
	}
	timeUseLeftOut.fill(&w)
	if len(r.LeftOut) == 0 {
		timeUseNoLeft.fill(&w)
	} else {
		timeUseLeftHead.fill(&w)
		for _, t := range r.LeftOut {
			timeUseLeftRow.fill(&w, text(t.ABN), vehicle(t.Registration, t.DeviceID), local(t.StartTime), local(t.EndTime), text(t.Reason))
		}
		timeUseLeftTail.fill(&w)
	}
	timeUseTail.fill(&w)
	return document{openapi.HTML + "; charset=utf-8", w.Bytes()}, nil
}
