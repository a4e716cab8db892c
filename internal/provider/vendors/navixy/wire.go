package navixy

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// object is the body of a call.
type object map[string]any

// timestamp writes t for a body, in whole seconds, never before t.
func timestamp(t time.Time) string { return wire.ISO(wire.CeilSecond(t)) }

// The codes of errors that mean something to the adapter.
const (
	codeDatabase      = 1
	codeWrongHash     = 3
	codeNoUser        = 4
	codeUnexpected    = 6
	codeUnavailable   = 8
	codeMaintenance   = 14
	codeTooMany       = 15
	codeWrongLogin    = 102
	codeNotActivated  = 103
	codeNotInDatabase = 201
	codeNotFound      = 204
	codeBlocked       = 208
	codeTooLong       = 211 // the span, by the account's tariff
	codeUnknownIDs    = 217
)

// apiError is an error by the vendor's code.
type apiError struct {
	code        int
	description string
}

func (e *apiError) Error() string {
	return fmt.Sprintf("Navixy answers error %d: %s", e.code, cmp.Or(e.description, "no description"))
}

func (e *apiError) kind() provider.Kind {
	switch e.code {
	case codeWrongHash, codeNoUser, codeWrongLogin, codeNotActivated:
		return provider.KindCredentials
	case codeTooMany:
		return provider.KindRateLimited
	case codeDatabase, codeUnexpected, codeUnavailable, codeMaintenance:
		return provider.KindTemporary
	default:
		return provider.KindPermanent
	}
}

// codeOf returns the vendor's code, zero where err has none.
func codeOf(err error) int {
	failed, ok := errors.AsType[*apiError](err)
	if !ok {
		return 0
	}
	return failed.code
}

// open returns an answer, or the error that it has. An answer that does not say that
// it succeeded is not one of the vendor.
func (a *Adapter) open(answer []byte) ([]byte, error) {
	var head struct {
		Success *bool `json:"success"`
		Status  struct {
			Code        int    `json:"code"`
			Description string `json:"description"`
		} `json:"status"`
	}
	if err := json.Unmarshal(answer, &head); err != nil {
		return nil, err
	}
	if head.Success == nil {
		return nil, fmt.Errorf("the answer has no success")
	}
	if !*head.Success {
		failed := &apiError{head.Status.Code, a.redactor.Redact(fmt.Sprintf("%.200s", head.Status.Description))}
		return nil, &provider.Error{Kind: failed.kind(), Err: failed}
	}
	return answer, nil
}

// list is the usual shape of an answer.
type list[T any] struct {
	List []T `json:"list" required:"true"`
}

type tracker struct {
	ID     wire.Text `json:"id"`
	Label  wire.Text `json:"label"`
	Source struct {
		Blocked bool `json:"blocked"`
	} `json:"source"`
}

type vehicle struct {
	ID        wire.Text   `json:"id"`
	TrackerID wire.Text   `json:"tracker_id"`
	Model     wire.Text   `json:"model"`
	RegNumber wire.Text   `json:"reg_number"`
	Year      wire.Number `json:"manufacture_year"`
}

// record returns the tracker with what is known of its vehicle, if it has one.
func (t tracker) record(v vehicle) provider.Device {
	return provider.Device{
		SystemDeviceID: t.ID.String(),
		Description:    t.Label.Ptr(),
		Registration:   v.RegNumber.Ptr(),
		Model:          v.Model.Ptr(),
		Year:           v.Year.Int(),
		Active:         !t.Source.Blocked,
	}
}

// employee is a person who may drive.
type employee struct {
	ID        wire.Text `json:"id"`
	First     wire.Text `json:"first_name"`
	Middle    wire.Text `json:"middle_name"`
	Last      wire.Text `json:"last_name"`
	Email     wire.Text `json:"email"`
	Phone     wire.Text `json:"phone"`
	Licence   wire.Text `json:"driver_license_number"`
	Key       wire.Text `json:"hardware_key"`
	Personnel wire.Text `json:"personnel_number"`
}

func (e employee) record() provider.Driver {
	r := provider.Driver{
		SystemDriverID: e.ID.String(), LastName: e.Last.Ptr(), Email: e.Email.Ptr(), Phone: e.Phone.Ptr(),
		LicenceNumber: e.Licence.Ptr(), EmployeeNumber: e.Personnel.Ptr(), Active: true,
	}
	if first := strings.TrimSpace(e.First.String() + " " + e.Middle.String()); first != "" {
		r.FirstName = &first
	}
	if e.Key != "" {
		r.Keys = []drover.DriverKey{{Type: drover.KeyOther, Value: e.Key.String()}}
	}
	return r
}

type point struct {
	Time      wire.Time   `json:"get_time"`
	Latitude  float64     `json:"lat"`
	Longitude float64     `json:"lng"`
	Heading   wire.Number `json:"heading"`
	Speed     wire.Number `json:"speed"` // km/h
	LBS       bool        `json:"gsm_lbs"`
}

func (p point) coordinate() *drover.Coordinate {
	return &drover.Coordinate{Latitude: p.Latitude, Longitude: p.Longitude}
}

// record returns the position; false for one guessed from radio cells, kilometres
// off, which comes though it is not asked for.
func (p point) record(tracker string) (provider.Position, bool) {
	if p.Time.IsZero() || p.LBS {
		return provider.Position{}, false
	}
	return provider.Position{
		SystemDeviceID: tracker,
		Position: drover.Position{
			Time:      p.Time.Record(),
			Latitude:  p.Latitude,
			Longitude: p.Longitude,
			Heading:   p.Heading.Ptr(),
			SpeedKPH:  p.Speed.Ptr(),
		},
	}, true
}

type track struct {
	ID        wire.Text   `json:"id"`
	Type      string      `json:"type"`
	StartDate wire.Time   `json:"start_date"`
	EndDate   wire.Time   `json:"end_date"`
	Length    wire.Number `json:"length"` // kilometres
	Points    []point     `json:"points_list"`
}

const regular = "regular"

// record returns the trip; false for what is no track: single points, and groups
// of them. Whether ids are unique beyond their tracker is not documented.
func (t track) record(tracker string) (provider.Trip, bool) {
	if cmp.Or(t.Type, regular) != regular || t.ID == "" || t.StartDate.IsZero() || t.EndDate.IsZero() {
		return provider.Trip{}, false
	}
	trip := provider.Trip{
		SystemDeviceID: tracker,
		SystemTripID:   fmt.Sprintf("%s:%s", tracker, t.ID),
		StartTime:      t.StartDate.Record(),
		EndTime:        t.EndDate.Record(),
		DistanceMetres: wire.Map(t.Length.Ptr(), wire.MetresFromKM),
		DrivingSeconds: new(t.EndDate.Sub(t.StartDate.Time).Seconds()),
	}
	if len(t.Points) > 0 {
		byTime := func(a, b point) int { return a.Time.Compare(b.Time.Time) }
		trip.Start = slices.MinFunc(t.Points, byTime).coordinate()
		trip.End = slices.MaxFunc(t.Points, byTime).coordinate()
	}
	return trip, true
}
