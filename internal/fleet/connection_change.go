package fleet

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
	"github.com/drover-fleet/drover/internal/store/work"
)

// RunHistory is how long it is kept how the runs of a connection went.
const RunHistory = 24 * time.Hour

// ConnectionsWithHealth is Connections, each with its health and the number of its devices.
func (s Connections) ConnectionsWithHealth(
	ctx context.Context,
	p drover.Principal,
	name drover.ProviderName,
	after drover.IDCursor,
	limit int,
) ([]drover.ConnectionView, error) {
	connections, err := s.Connections(ctx, p, name, after, limit)
	if err != nil {
		return nil, err
	}
	jobs, err := s.store.Fleet.VisibleJobs(ctx, p.TenantID)
	if err != nil {
		return nil, err
	}
	devices, err := s.store.Fleet.VisibleDeviceCounts(ctx, p.TenantID)
	if err != nil {
		return nil, err
	}
	byConnection := map[string][]store.Job{}
	for _, st := range jobs {
		byConnection[st.ConnectionID] = append(byConnection[st.ConnectionID], st)
	}
	views := make([]drover.ConnectionView, len(connections))
	for i, c := range connections {
		views[i] = drover.ConnectionView{
			Connection: c, Health: new(shownHealth(p, c, s.healthOf(c, byConnection[c.ID]))),
			Devices: new(devices[c.ID]),
		}
	}
	return views, nil
}

// changeable finds a connection that the caller may change.
func (s *core) changeable(ctx context.Context, p drover.Principal, id string) (drover.Connection, error) {
	return s.syncable(ctx, p, id)
}

// UpdateConnection changes the fields that were sent. New credentials are tried at
// once; an earlier start of the window is filled in.
func (s Connections) UpdateConnection(
	ctx context.Context,
	p drover.Principal,
	id string,
	u drover.ConnectionUpdate,
) (drover.Connection, error) {
	seen, err := s.changeable(ctx, p, id)
	if err != nil {
		return drover.Connection{}, err
	}
	sealed, err := s.checkUpdate(ctx, seen, u)
	if err != nil {
		return drover.Connection{}, err
	}
	chosen, err := s.chooseTrips(ctx, seen, u)
	if err != nil {
		return drover.Connection{}, err
	}
	defer s.wake()
	var changed drover.Connection
	err = s.guard.Update(ctx, p, func(tx *store.Tx) (err error) {
		changed, err = s.changeConnection(ctx, tx, p, id, connectionChange{u, sealed, chosen})
		return err
	})
	return changed, err
}

// connectionChange is an update that was checked: its credentials sealed, and where
// trips are to come from.
type connectionChange struct {
	update drover.ConnectionUpdate
	sealed []byte
	trips  drover.TripSource
}

// changeConnection stores a change with all that follows from it.
func (s *core) changeConnection(
	ctx context.Context,
	tx *store.Tx,
	p drover.Principal,
	id string,
	c connectionChange,
) (drover.Connection, error) {
	before, err := tx.Fleet.ConnectionForUpdate(ctx, p.TenantID, id)
	if err != nil {
		return before, guard.OrNotFound(err, guard.UnknownConnection, id)
	}
	if before.Configuration.Purge != nil {
		return before, drover.Errorf(drover.KindConflict, "Connection with ID %s is being erased", id)
	}
	if err := unchangedConnection(ctx, tx.Accounts, before); err != nil {
		return before, err
	}
	changed, err := c.update.Apply(before)
	if err != nil {
		return changed, drover.Under(err, "body")
	}
	s.reconfigure(&changed, before, c.update)
	changed.Configuration.Trips = cmp.Or(c.trips, changed.Configuration.Trips)
	return changed, s.storeUpdate(ctx, tx, before, changed, c.update, c.sealed)
}

// unchangedConnection is Unchanged of guard for a connection, which is shown with its tags.
func unchangedConnection(ctx context.Context, tx account.Editor, c drover.Connection) error {
	if !guard.Conditional(ctx) {
		return nil
	}
	tags, err := tx.ConnectionTags(ctx, c.TenantID, c.ID)
	if err != nil {
		return err
	}
	return guard.Unchanged(ctx, drover.ConnectionDetail{Connection: c, ConnectionTags: tags})
}

// checkUpdate checks an update in the order of its fields, and seals credentials.
func (s *core) checkUpdate(ctx context.Context, seen drover.Connection, u drover.ConnectionUpdate) (sealed []byte, err error) {
	archived := seen.Configuration.Health == drover.ConnectionArchived
	if c := u.Credentials.Value; c != nil {
		if err := s.checkCredentials(ctx, s.provider(seen.IntegrationName), *c); err != nil {
			return nil, drover.Under(err, "body", "credentials")
		}
		if sealed, err = s.sealCredentials(*c, seen.TenantID, seen.ID); err != nil {
			return nil, err
		}
	} else if archived && u.Active.Value != nil && *u.Active.Value {
		return nil, drover.Invalid("missing", "Field required", "body", "credentials")
	}
	if e := u.Email.Value; e != nil && !looksLikeEmail(*e) {
		return nil, drover.Invalid("value_error", "value is not a valid email address", "body", "email")
	}
	if _, err := u.Apply(seen); err != nil {
		return nil, drover.Under(err, "body")
	}
	if c := u.Configuration.Value; c != nil {
		if err := drover.CheckSafetyTypes(c.SafetyTypes); err != nil {
			return nil, err
		}
		if err := checkZone(c.TimeZone, "body", "configuration", "time_zone"); err != nil {
			return nil, err
		}
	}
	if u.Tags.Value != nil {
		if _, err := drover.NormalizeTags(*u.Tags.Value); err != nil {
			return nil, drover.Under(err, "body", "tags")
		}
	}
	return sealed, nil
}

// reconfigure writes down what the service decides again.
func (s *core) reconfigure(c *drover.Connection, before drover.Connection, u drover.ConnectionUpdate) {
	health := before.Configuration.Health
	switch {
	case !c.Active && before.Active:
		health = drover.ConnectionDisabled
	case c.Active && (!before.Active || u.Credentials.Set):
		health = drover.ConnectionPending
	}
	if credentials := u.Credentials.Value; credentials != nil {
		kept := c.Configuration
		c.Configuration = s.configure(s.provider(c.IntegrationName), *credentials)
		c.Configuration.Forms, c.Configuration.TripRules, c.Configuration.Units = permitted(kept.Forms), kept.TripRules, kept.Units
		c.Configuration.TimeZone, c.Configuration.SafetyTypes = kept.TimeZone, kept.SafetyTypes
	}
	c.Configuration.Health = health
}

// permitted are the forms without what was withheld from other credentials.
func permitted(forms map[string]string) map[string]string {
	forms = maps.Clone(forms)
	maps.DeleteFunc(forms, func(name, _ string) bool { return strings.HasPrefix(name, provider.WithheldForm) })
	return forms
}

// chooseTrips finds where the trips of a changed connection come from; nothing where
// that is as before. What the tenant has chosen outlives new credentials.
func (s *core) chooseTrips(ctx context.Context, seen drover.Connection, u drover.ConnectionUpdate) (drover.TripSource, error) {
	var asked *drover.TripSource
	if c := u.Configuration.Value; c != nil {
		asked = c.Trips.Value
	}
	if asked == nil && u.Credentials.Value == nil {
		return "", nil
	}
	info := s.provider(seen.IntegrationName)
	before, err := s.openCredentials(ctx, seen.TenantID, seen.ID)
	if err != nil {
		return "", err
	}
	now := before
	if u.Credentials.Value != nil {
		now = *u.Credentials.Value
	}
	switch {
	case asked != nil && *asked == drover.TripsNative && *asked != seen.Configuration.Trips && !info.NativeTrips(now):
		return "", drover.InvalidValue(info.Title+" reports no trips to this connection", "body", "configuration", "trips")
	case asked != nil && (*asked != drover.TripsNative || info.NativeTrips(now)):
		return *asked, nil
	case seen.Configuration.Trips == drover.TripsDerived && info.NativeTrips(before):
		return drover.TripsDerived, nil
	}
	return "", nil
}

func (s *core) storeUpdate(
	ctx context.Context,
	tx *store.Tx,
	before, after drover.Connection,
	u drover.ConnectionUpdate,
	sealed []byte,
) error {
	if same, err := sameConnection(ctx, tx.Accounts, before, after, u); err != nil || same && sealed == nil {
		return err
	}
	if err := tx.Fleet.SetConnection(ctx, after, s.now()); err != nil {
		return err
	}
	if sealed != nil {
		if err := tx.Fleet.SetCredentials(ctx, store.Sealed{TenantID: after.TenantID, ID: after.ID, Sealed: sealed}); err != nil {
			return err
		}
	}
	if u.Tags.Value != nil {
		tags, err := drover.NormalizeTags(*u.Tags.Value)
		if err != nil {
			return drover.Under(err, "body", "tags")
		}
		if err := errors.Join(tx.Accounts.UntagConnection(ctx, after.TenantID, after.ID),
			tx.Accounts.TagConnection(ctx, after.TenantID, after.ID, tags)); err != nil {
			return err
		}
	}
	if !drover.SameUnits(before.Configuration.Units, after.Configuration.Units) {
		if err := tx.Jobs.ForgetFacts(ctx, after.TenantID, after.ID, s.now()); err != nil {
			return err
		}
	}
	if after.CollectionStartTime.Before(before.CollectionStartTime.Time) && s.keepsHistory(after) {
		if err := s.addJobs(ctx, tx, after, after.CollectionStartTime, before.CollectionStartTime); err != nil {
			return err
		}
	}
	if !drover.SameText(before.Configuration.TimeZone, after.Configuration.TimeZone) {
		if err := s.recomputeDays(ctx, tx.Jobs, after.TenantID, &after.ID); err != nil {
			return err
		}
	}
	if err := errors.Join(tx.Fleet.RushJobs(ctx, after.TenantID, after.ID, s.now()),
		tx.Jobs.WakeCollection(ctx, after.TenantID, after.ID, s.now())); err != nil {
		return err
	}
	return s.connectionEvent(ctx, tx, drover.EventConnectionUpdated, after)
}

// sameConnection reports whether an update leaves a connection and its tags as they are.
func sameConnection(ctx context.Context, tx account.Editor, before, after drover.Connection, u drover.ConnectionUpdate) (bool, error) {
	if !reflect.DeepEqual(before, after) || u.Tags.Value == nil {
		return reflect.DeepEqual(before, after), nil
	}
	wanted, err := drover.NormalizeTags(*u.Tags.Value)
	if err != nil {
		return false, drover.Under(err, "body", "tags")
	}
	tags, err := tx.ConnectionTags(ctx, after.TenantID, after.ID)
	if err != nil {
		return false, err
	}
	var names []string
	for _, tag := range tags {
		names = append(names, tag.Name)
	}
	return slices.Equal(names, slices.Sorted(slices.Values(wanted))), nil
}

// keepsHistory reports whether the past of a connection can be read.
func (s *core) keepsHistory(c drover.Connection) bool {
	info := s.provider(c.IntegrationName)
	return info.Features.Backfill || c.Configuration.Trips == drover.TripsNative && !info.Records
}

// DeleteConnection stops the collection at once and forgets the credentials. What
// was collected stays, and the connection is archived; with purge, all of it is erased
// in the background, and the connection goes last.
func (s Connections) DeleteConnection(ctx context.Context, p drover.Principal, id string, purge bool) error {
	if purge {
		ctx = guard.Acting(ctx, "connection.purge")
	}
	if _, err := s.changeable(ctx, p, id); err != nil {
		return err
	}
	nothing, err := s.sealCredentials(map[string]string{}, p.TenantID, id)
	if err != nil {
		return err
	}
	return s.guard.Update(ctx, p, func(tx *store.Tx) error {
		if err := s.archive(ctx, tx, p.TenantID, id, nothing); err != nil || !purge {
			return err
		}
		return s.purge(ctx, tx, p.TenantID, id)
	})
}

// purge has the data of an archived connection erased. What its feed says up to now
// goes too; that it was deleted stays.
func (s *core) purge(ctx context.Context, tx *store.Tx, tenantID, id string) error {
	c, err := tx.Fleet.ConnectionForUpdate(ctx, tenantID, id)
	if err != nil || c.Configuration.Purge != nil {
		return err
	}
	devices, err := tx.Fleet.CountDevices(ctx, tenantID, &id)
	if err != nil {
		return err
	}
	last, err := tx.Feed.LastEvent(ctx, tenantID)
	if err != nil {
		return err
	}
	c.Configuration.Purge = &drover.PurgeProgress{RequestedAt: s.now(), DevicesTotal: devices}
	if err := tx.Fleet.SetConnection(ctx, c, s.now()); err != nil {
		return err
	}
	if err := tx.Fleet.EraseSums(ctx, tenantID, id); err != nil {
		return err
	}
	return tx.Jobs.AddPurge(ctx, work.Purge{TenantID: tenantID, ConnectionID: id, EventTo: last}, s.now())
}

// archive stops the collection of a connection and replaces its credentials.
func (s *core) archive(ctx context.Context, tx *store.Tx, tenantID, id string, nothing []byte) error {
	c, err := tx.Fleet.ConnectionForUpdate(ctx, tenantID, id)
	if err != nil {
		return guard.OrNotFound(err, guard.UnknownConnection, id)
	}
	if err := unchangedConnection(ctx, tx.Accounts, c); err != nil {
		return err
	}
	if c.Configuration.Health == drover.ConnectionArchived {
		return nil
	}
	c.Active, c.Configuration.Health = false, drover.ConnectionArchived
	if err := tx.Fleet.SetConnection(ctx, c, s.now()); err != nil {
		return err
	}
	if err := tx.Fleet.SetCredentials(ctx, store.Sealed{TenantID: tenantID, ID: id, Sealed: nothing}); err != nil {
		return err
	}
	if err := tx.Jobs.WakeCollection(ctx, tenantID, id, s.now()); err != nil { // anyone who follows its push stops
		return err
	}
	return s.connectionEvent(ctx, tx, drover.EventConnectionDeleted, c)
}

// connectionEvent tells everyone who sees the connection.
func (s *core) connectionEvent(ctx context.Context, tx *store.Tx, typ drover.EventType, c drover.Connection) error {
	e, err := drover.NewEvent(typ, s.now(), c)
	if err != nil {
		return err
	}
	return journal.Publish(ctx, tx, c.TenantID, c.ID, []drover.Event{e})
}

// TryConnection asks a provider whether credentials work. Nothing is stored.
func (s Connections) TryConnection(
	ctx context.Context,
	p drover.Principal,
	in drover.ConnectionTrialInput,
) (drover.ConnectionTrial, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.ConnectionTrial{}, err
	}
	if err := s.checkCredentials(ctx, s.provider(in.IntegrationName), in.Credentials); err != nil {
		return drover.ConnectionTrial{}, drover.Under(err, "body", "credentials")
	}
	return s.try(ctx, in.IntegrationName, in.Credentials)
}
