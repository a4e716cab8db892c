package api

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/middle"
	"github.com/drover-fleet/drover/internal/api/openapi"
)

const tagReport = "Reports"

func (s *server) reportRoutes() []route {
	regions := opQuery(http.MethodGet, "/report/distance-by-region", s.listRegions).
		named("listDistanceByRegion", tagReport, "Distance by region",
			"How far each vehicle drove in each state, province or country: the distances of the valid trips that start in [from, to), parted as their positions lie. "+
				"Borders are those of Natural Earth, 1:10,000,000, made simpler. Of shared vehicles it takes the scope positions.").
		shows(drover.ScopePositions).can(errorsOfList...)
	regions.busy = true
	return []route{
		regions,
		opFormats[timeUseQuery, drover.TimeUse](http.MethodGet, "/report/time-use", s.getTimeUse).
			named("getTimeUse", tagReport, "Time use of a month",
				"Driving, idling and auxiliary time by registration number and vehicle, from the valid trips that start in a month of the tenant's time zone. "+
					"Trips that are not valid are listed with their reason. As JSON, CSV or a page that can be printed.").
			also(openapi.CSV, openapi.HTML).can(errorsOfList...),
	}
}

type regionQuery struct {
	drover.RegionFilter
	Limit  int     `query:"limit" default:"10" minimum:"1" maximum:"50" doc:"Vehicles a page."`
	Cursor *string `query:"cursor" doc:"x-next-cursor of the page before."`
}

func (s *server) listRegions(c *call, q regionQuery) (page[drover.DeviceRegions], error) {
	var after drover.IDCursor
	if err := (paging{Cursor: q.Cursor}).place(&after); err != nil {
		return page[drover.DeviceRegions]{}, err
	}
	rows, next, err := s.Fleet.Trips.Regions(c.Context, c.principal, q.RegionFilter, after, q.Limit)
	p := page[drover.DeviceRegions]{items: rows}
	if err == nil && next != "" {
		p.next, err = writeCursor(next)
	}
	return p, err
}

type timeUseQuery struct {
	Month  string       `query:"month" doc:"A year and a month such as 2024-05; without it the present one."`
	Format reportFormat `query:"format" enum:"json,csv,html" doc:"Instead of the Accept header."`
}

// reportFormat is how a report is written.
type reportFormat string

// or is the format that is asked for, by name or by the Accept header.
func (f reportFormat) or(h http.Header) reportFormat {
	switch {
	case f != "":
		return f
	case middle.AcceptsJSON(h):
		return "json"
	case middle.Accepts(h, openapi.CSV):
		return "csv"
	}
	return "html"
}

func (s *server) getTimeUse(c *call, q timeUseQuery) (any, error) {
	report, err := s.Fleet.Trips.TimeUse(c.Context, c.principal, q.Month)
	if err != nil {
		return nil, err
	}
	switch q.Format.or(c.Header) {
	case "csv":
		return timeUseCSV(report)
	case "html":
		c.w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		return timeUsePage(report)
	}
	return report, nil
}

// timeUseCSV has a row for each vehicle, and one for each trip that was left out.
func timeUseCSV(r drover.TimeUse) (document, error) {
	var body bytes.Buffer
	w := csv.NewWriter(&body)
	_ = w.Write([]string{ // Flush tells of errors
		"row", "month", "abn", "business_name", "device_id", "registration", "description", "trips", "driving_seconds", "idling_seconds",
		"auxiliary_seconds",
		"unknown_trips", "trip_id", "start_time", "end_time", "reason",
	})
	for _, v := range r.Vehicles {
		_ = w.Write([]string{
			"vehicle", r.Month, cell(v.ABN), drover.CSVText(v.BusinessName), v.DeviceID, cell(v.Registration), cell(v.Description),
			strconv.FormatInt(v.Trips, 10),
			numberText(v.DrivingSeconds), numberText(v.IdlingSeconds), numberText(v.AuxiliarySeconds), strconv.FormatInt(v.UnknownTrips, 10), "",
			"", "", "",
		})
	}
	for _, t := range r.LeftOut {
		_ = w.Write([]string{
			"left_out", r.Month, cell(t.ABN), "", t.DeviceID, cell(t.Registration), "", "", "", "", "", "", t.TripID, t.StartTime.String(),
			t.EndTime.String(), cell(t.Reason),
		})
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return document{}, fmt.Errorf("write CSV: %w", err)
	}
	return document{openapi.CSV + "; charset=utf-8", body.Bytes()}, nil
}

// cell is a text as CSV has it; empty for none.
func cell(s *string) string { return drover.CSVText(text(s)) }

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func numberText(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

// clockTime is a time span as hours and minutes.
func clockTime(v *float64) string {
	if v == nil {
		return "not known"
	}
	minutes := int64(time.Duration(*v * float64(time.Second)).Round(time.Minute).Minutes())
	return fmt.Sprintf("%d:%02d", minutes/60, minutes%60)
}
