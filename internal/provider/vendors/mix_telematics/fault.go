package mixtelematics

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/rules/fault"
)

var faults = &provider.Besides{
	Every: 30 * time.Minute, Names: []string{"dtc/faults"}, Need: "a user who may read trouble codes",
}

// faulted is what is known of the faults of an asset.
type faulted struct {
	AssetID wire.Text     `json:"AssetId"`
	Faults  []faultStatus `json:"Faults"`
}

// faultStatus is how a fault stands.
type faultStatus struct {
	Updated     wire.Time   `json:"Timestamp"`
	Code        wire.Text   `json:"FaultCode"`
	Description wire.Text   `json:"Description"`
	Severity    wire.Text   `json:"Severity"`
	IsFaulted   wire.Bool   `json:"IsFaulted"`
	First       wire.Time   `json:"FirstSeen"`
	Last        wire.Time   `json:"LastSeen"`
	Cleared     wire.Time   `json:"DateCleared"`
	Count       wire.Number `json:"Count"`
}

// said is what the vendor says of one fault.
func (f faultStatus) said() fault.Said {
	s := fault.Said{
		Description: f.Description.Ptr(), Severity: provider.SeverityOf(f.Severity.String()), Occurrences: f.Count.Whole(),
	}
	s.Protocol, s.Code = provider.CodeOf(strings.TrimSpace(f.Code.String()))
	if !f.First.IsZero() {
		s.First = f.First.Record()
	}
	if last := cmp.Or(f.Last, f.Updated); !last.IsZero() {
		s.Last = last.Record()
	}
	if !f.IsFaulted.Or(true) {
		s.Status = drover.FaultClosed
		if !f.Cleared.IsZero() {
			s.Closed = f.Cleared.Record()
		}
	}
	return s
}

// faultBatch is how many assets one call is for.
const faultBatch = 100

// Faults implements provider.FaultReader. Each round asks for all assets: the vendor keeps a record
// of each fault, and does not say for how long, so that a long silence ends one, too.
func (a *Adapter) Faults(ctx context.Context, q provider.Query) (provider.Page[provider.FaultReport], error) {
	batches := slices.Collect(slices.Chunk(q.Devices, faultBatch))
	return paging.Numbered(func(ctx context.Context, number int) ([]provider.FaultReport, bool, error) {
		if number > len(batches) {
			return nil, false, nil
		}
		rows, err := perOrganisation(ctx, a, batches[number-1], func(_ string, assets []string) ([]faulted, error) {
			rows, _, err := list[faulted](ctx, a, "/dtc/faults/assets", numbers(assets))
			return rows, err
		})
		now := drover.At(a.cfg.Now())
		return wire.Records(rows, func(f faulted) (provider.FaultReport, bool) {
			return provider.FaultReport{SystemDeviceID: f.AssetID.String(), Report: fault.Report{
				At: now, Form: fault.Stated, Fades: true, Faults: wire.All(f.Faults, faultStatus.said),
			}}, f.AssetID != "" && len(f.Faults) > 0
		}), number < len(batches), err
	})(ctx, q.Cursor)
}

var _ provider.FaultReader = (*Adapter)(nil)
