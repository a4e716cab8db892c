package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"reflect"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/openapi"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) recordRoutes() []route {
	return []route{
		op(http.MethodPost, "/connection/{connection_id}/record", s.postRecords).
			named("postRecords", tagConnection, "Send records",
				"Takes up to 1,000 records of devices, positions, trips, readings, drivers, faults and safety events for a connection to push, which an operator enables: a JSON array, or one record a line as NDJSON. "+
					"A record is known by its device and time, a trip by its device and system_trip_id, a driver by system_driver_id, a fault by its device and code, a safety event by its device and system_event_id: what was sent before changes nothing, so that a batch may be sent again. "+
					"A record that is refused leaves the others alone; the answer says of each what became of it. "+
					"A body has 1 MiB and a record 64 KiB at the most. A tenant may have 8 batches under way: more are answered with 429.").
			takes(reflect.TypeFor[[]drover.Record](), openapi.NDJSON).needs(drover.PermissionPush).
			can(errorsOfOne...).missing(guard.UnknownConnection),
	}
}

// ofRecords reports whether a request sends records.
func ofRecords(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/connection/") && strings.HasSuffix(r.URL.Path, "/record")
}

func (s *server) postRecords(c *call) (drover.RecordResult, error) {
	batch, err := c.records()
	if err != nil {
		return drover.RecordResult{}, err
	}
	return s.Fleet.Connections.PushRecords(c.Context, c.principal, c.PathValue("connection_id"), batch)
}

// records reads the batch that was sent, one record after the other.
func (c *call) records() ([]fleet.PushedRecord, error) {
	if len(c.raw) == 0 {
		return nil, drover.Invalid("missing", "Field required", "body")
	}
	if typ, _, _ := mime.ParseMediaType(c.Header.Get("Content-Type")); typ == openapi.NDJSON {
		return c.lines()
	}
	return c.items()
}

// lines reads a record a line. One that is no JSON is refused alone.
func (c *call) lines() (batch []fleet.PushedRecord, err error) {
	for line := range bytes.Lines(c.raw) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if batch, err = c.add(batch, line); err != nil {
			return nil, err
		}
	}
	return batch, nil
}

// items reads the items of an array. Where one is no JSON it is not known where the next
// begins, so that nothing of the array is taken.
func (c *call) items() (batch []fleet.PushedRecord, err error) {
	if body := bytes.TrimLeft(c.raw, " \t\r\n"); len(body) == 0 || body[0] != '[' {
		return nil, c.noList()
	}
	dec := json.NewDecoder(bytes.NewReader(c.raw))
	if _, err := dec.Token(); err != nil {
		return nil, c.noList()
	}
	for dec.More() {
		var item json.RawMessage
		if err := dec.Decode(&item); err != nil {
			return nil, c.noList()
		}
		if batch, err = c.add(batch, item); err != nil {
			return nil, err
		}
	}
	if _, err := dec.Token(); err != nil || len(bytes.TrimLeft(c.raw[dec.InputOffset():], " \t\r\n")) > 0 {
		return nil, c.noList()
	}
	return batch, nil
}

// noList says where the body is no JSON or, where it is, that it is no list.
func (c *call) noList() error {
	var none struct{}
	if refused, ok := errors.AsType[*drover.Error](c.decoder.JSON(c.raw, &none)); ok && refused.Type == "json_invalid" {
		return refused
	}
	return drover.Invalid("list_type", "Input should be a valid list", "body")
}

// add reads one more record.
func (c *call) add(batch []fleet.PushedRecord, raw []byte) ([]fleet.PushedRecord, error) {
	if len(batch) == drover.MaxRecords {
		return nil, drover.Invalid("too_long", fmt.Sprintf("List should have at most %d items after validation", drover.MaxRecords), "body")
	}
	var r fleet.PushedRecord
	err := c.readRecord(raw, &r.Record)
	if err != nil && drover.ErrorKind(err) != drover.KindInvalid {
		return nil, err // a fault of ours
	}
	if err != nil {
		r.Refused = reason(err)
	}
	return append(batch, r), nil
}

func (c *call) readRecord(raw []byte, r *drover.Record) error {
	if len(raw) > drover.MaxRecordSize {
		return drover.InvalidValue(fmt.Sprintf("a record has %d bytes at the most", drover.MaxRecordSize))
	}
	if err := c.decoder.Strict(raw, r, func(key string) bool { return r.Type.Takes(key) }); err != nil {
		return err
	}
	return r.Check()
}

// reason is why a record is refused, with the field in front.
func reason(err error) string {
	refused, _ := errors.AsType[*drover.Error](err)
	words := make([]string, 0, len(refused.Loc))
	for _, place := range refused.Loc {
		words = append(words, fmt.Sprint(place))
	}
	if len(words) == 0 || refused.Type == "json_invalid" {
		return refused.Message
	}
	return strings.Join(words, ".") + ": " + refused.Message
}
