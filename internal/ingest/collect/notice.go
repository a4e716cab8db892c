package collect

import (
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	// kindData is the kind of what is wrong with the data though they were read.
	kindData = "data"
	// kindLimit is the kind of what was left out because of the tenant's limits. It
	// holds for one list.
	kindLimit = "limit"
	// kindFile is the kind of what is wrong with a new version of the provider's file.
	kindFile = "file"
	// noticeStays is how long a job shows a notice after its last cause.
	noticeStays = 24 * time.Hour
)

// note keeps a notice with a job that was read, or the one that it has for as
// long as that stays. Errors are over.
func (v *run) note(s *store.Job, notice string) {
	now := v.c.now()
	switch {
	case notice == "" && s.Kind == store.JobDevices && v.refusal() != "":
		s.LastError, s.LastErrorKind, s.LastErrorAt = new(v.refusal()), new(kindFile), &now
	case notice != "":
		s.LastError, s.LastErrorKind, s.LastErrorAt = &notice, new(kindData), &now
	case s.LastErrorKind != nil && *s.LastErrorKind == kindData && s.LastErrorAt != nil && now.Sub(s.LastErrorAt.Time) < noticeStays:
	default:
		s.LastError, s.LastErrorKind, s.LastErrorAt = nil, nil, nil
	}
}

// impossible counts the positions of a connection, since the process knows it,
// whose times cannot be true: before there were such trackers, or ahead of now.
type impossible struct {
	since drover.Time
	n     int
	// newest is the last such time of each device: what is read again counts once.
	newest map[string]drover.Time
}

// earliest is before any position that can be true.
var earliest = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// count adds those of a page, and says so where there are any.
func (i *impossible) count(records []provider.Position, now drover.Time) (notice string) {
	if i.n == 0 {
		i.since = now
	}
	var last drover.Time
	type moment struct {
		device string
		at     drover.Time
	}
	fresh := map[moment]bool{}
	for _, r := range records {
		if !r.Time.Before(earliest) && !r.Time.After(now.Add(trip.FutureTolerance)) {
			continue
		}
		if last = r.Time; last.After(i.newest[r.SystemDeviceID].Time) {
			fresh[moment{r.SystemDeviceID, last}] = true
		}
	}
	if last.IsZero() {
		return ""
	}
	if i.n += len(fresh); i.newest == nil {
		i.newest = map[string]drover.Time{}
	}
	for m := range fresh {
		if m.at.After(i.newest[m.device].Time) {
			i.newest[m.device] = m.at
		}
	}
	return fmt.Sprintf("%d positions since %s have times that cannot be true, the last one %s. They take no part in trips, milestones and newest positions. The tracker's clock, or its time zone at the provider, is wrong.",
		i.n, i.since, last)
}
