package contract_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/work"
)

// addAlpha makes one record of each kind with every field filled, and one with
// every field empty that can be.
func (w *world) addAlpha(tb testing.TB) {
	tb.Helper()
	w.addConnection(tb, "alpha", "conn", drover.ConnectionInput{
		BusinessName: "Alpha Haulage", ABN: new("51824753556"), Email: new("fleet@alpha.example"), Tags: []string{"South", "north"},
		CollectionStartTime: new(drover.At(present.Add(-24*time.Hour + 500*time.Millisecond))),
		CollectionEndTime:   new(drover.At(present.Add(24 * time.Hour))),
	})
	w.addConnection(tb, "alpha", "plain_conn", drover.ConnectionInput{BusinessName: "Alpha Vans", Active: new(false)})
	share, err := w.service.app.Fleet.Shares.ShareWith(tb.Context(), w.admin("alpha"), w.ids["conn"], w.ids["gamma"])
	if err != nil {
		tb.Fatal(err)
	}
	w.ids["share"] = share.ID
	if _, err := w.service.app.Fleet.Shares.AcceptShare(tb.Context(), w.admin("gamma"), share.ID); err != nil {
		tb.Fatal(err)
	}
	w.addDevice(tb, "alpha", "device", "conn", drover.Device{
		SystemDeviceID: "truck-12", Description: new("Truck 12"), Registration: new("AB12 CDE"), Make: new("DAF"), Model: new("XF"),
		Year: new(2019), Active: true, Tags: []string{"cold", "north"},
	})
	w.addDevice(tb, "alpha", "bare_device", "conn", drover.Device{SystemDeviceID: "bare"})
	w.addDevice(tb, "alpha", "private_device", "plain_conn", drover.Device{SystemDeviceID: "van-1", Active: true})
	w.addPosition(tb, "alpha", "device", drover.Position{
		Time: drover.At(present.Add(-time.Hour)), Latitude: 48.5, Longitude: 11.5, Ignition: new(true), Auxiliary: new(false),
		OdometerMetres: new(1000.5),
	})
	w.addPosition(tb, "alpha", "device", drover.Position{
		Time: drover.At(present.Add(-time.Minute + 250*time.Millisecond)), Latitude: 48.9, Longitude: 11.4,
		Heading: new(352.0), SpeedKPH: new(71.5), DriverID: new("D-17"),
	})
	w.addPosition(tb, "alpha", "private_device", drover.Position{
		Time: drover.At(present.Add(-15 * time.Minute)), Latitude: 48.5,
		Longitude: 11.5,
	})
	w.addInstruments(tb)
	w.addFaults(tb)
	w.addDrivers(tb)
	w.addDangers(tb)
	driven := w.addTrip(tb, "alpha", "trip", "conn", "device", drover.Trip{
		StartLatitude: new(48.1), StartLongitude: new(11.5), EndLatitude: new(48.2), EndLongitude: new(11.6),
		StartTime: drover.At(present.Add(-2 * time.Hour)), EndTime: drover.At(present.Add(-time.Hour + time.Millisecond)),
		DistanceMetres: new(15230.5), DurationSeconds: 3600.001, DrivingSeconds: new(3000.0), IdlingSeconds: new(500.0),
		AuxiliarySeconds: new(100.001), IsValid: true,
	})
	w.addNotes(tb)
	w.changeTrip(tb, driven, func(t *store.Trip) { t.DriverID = new("D-1") })
	w.addTrip(tb, "alpha", "bare_trip", "conn", "bare_device", drover.Trip{
		StartTime: drover.At(present.Add(-4 * time.Hour)), EndTime: drover.At(present.Add(-4 * time.Hour)),
		ValidationComments: new("The trip has no duration."),
	})
	w.addTrip(tb, "alpha", "private_trip", "plain_conn", "private_device", drover.Trip{
		StartTime: drover.At(present.Add(-8 * 24 * time.Hour)), EndTime: drover.At(present.Add(-8*24*time.Hour + time.Minute)),
		DurationSeconds: 60, IsValid: true,
	})
	w.ids["export"], w.ids["newer_export"] = w.addExport(tb, "alpha").ID, w.addExport(tb, "alpha").ID
	w.addStop(tb, "alpha", "stop", "conn", "device", drover.Stop{
		Latitude: new(48.2), Longitude: new(11.6), StartTime: drover.At(present.Add(-5 * time.Hour)),
		EndTime:         new(drover.At(present.Add(-2*time.Hour + 500*time.Millisecond))),
		EngineOnSeconds: new(1200.5), AuxiliarySeconds: new(60.0),
		Unseen: &drover.Unseen{
			EndTime: drover.At(present.Add(-75*time.Minute - 30*time.Second)), DistanceMetres: 9600.5,
			KnownBy: drover.ByOdometer,
		},
	})
	w.addStop(tb, "alpha", "bare_stop", "conn", "bare_device", drover.Stop{
		StartTime: drover.At(present.Add(-24 * time.Hour)), EndTime: new(drover.At(present.Add(-24*time.Hour + time.Minute))),
	})
	w.addStop(tb, "alpha", "private_stop", "plain_conn", "private_device", drover.Stop{
		Latitude: new(48.2), Longitude: new(11.6), StartTime: drover.At(present.Add(-8*24*time.Hour + time.Minute)),
		EndTime:         new(drover.At(present.Add(-8*24*time.Hour + 61*time.Minute))),
		EngineOnSeconds: new(0.0),
	})
	w.setOpenStop(tb, "alpha", "open_stop", "conn", "device",
		drover.Stop{Latitude: new(48.3), Longitude: new(11.7), StartTime: drover.At(present.Add(-time.Hour))})
	w.setOpenStop(tb, "alpha", "ended_stop", "plain_conn", "private_device", drover.Stop{
		StartTime: drover.At(present.Add(-8 * 24 * time.Hour)), EndTime: new(drover.At(present.Add(-8*24*time.Hour + time.Minute))),
	})
	w.addMilestone(tb, "alpha", "alpha", "milestone", "device", drover.Milestone{
		Status: drover.TripInProgress, EndTime: new(drover.At(present.Add(3 * time.Hour))), WebhookURL: new("https://hooks.example/m"),
		WebhookEnabled:    true,
		WebhookErrorCount: 2, LastWebhookError: new("the target answered 503"), LastWebhookErrorAt: new(drover.At(present.Add(-time.Minute))),
	})
	w.ids["milestone_link"], w.ids["share_token"] = w.shareMilestone(tb, "alpha", w.ids["milestone"])
	w.ids["conn_link"], w.ids["link_token"] = w.inviteFleet(tb, "alpha",
		drover.ConnectionLinkInput{BusinessName: new("Miller"), Providers: []drover.ProviderName{drover.Traccar}})
	w.inviteFleet(tb, "alpha", drover.ConnectionLinkInput{BusinessName: new("Other")})
	w.addEvents(tb, "milestone", drover.EventMilestoneStarted, drover.EventMilestoneUpdated)
	w.addPredictions(tb, "milestone", 12, 8)
	w.addMilestone(tb, "alpha", "alpha", "silent_milestone", "bare_device", drover.Milestone{})
	w.addMilestone(tb, "alpha", "alpha", "stale_milestone", "private_device", drover.Milestone{})
	w.addMilestone(tb, "alpha", "alpha", "ended_milestone", "device", drover.Milestone{Status: drover.TripEnded})
	full := drover.WebhookFilters{
		ConnectionIDs: []string{w.ids["conn"]}, Tags: []string{"north"}, DeviceIDs: []string{w.ids["device"]},
		ConnectionDevices: []drover.ConnectionDevices{{ConnectionID: w.ids["plain_conn"], SystemDeviceIDs: []string{"van-1"}}},
	}
	w.addWebhook(tb, "alpha", "webhook", drover.Webhook{
		URL: "https://hooks.example/full", Enabled: true, ErrorCount: 3, LastError: new("the target answered 503"),
		LastErrorAt: new(drover.At(present)),
		Filters:     full, Options: drover.WebhookOptions{IncludeSpeed: true, IncludeDriverID: true},
	})
	w.addWebhook(tb, "alpha", "bare_webhook", drover.Webhook{URL: "https://hooks.example/bare", Filters: noFilters()})
	w.update(tb, func(tx *store.Tx) error {
		target := drover.Target{TenantID: w.ids["alpha"], ID: w.ids["webhook"]}
		for range 3 {
			d, err := tx.Feed.AddTest(tb.Context(), target, drover.TargetWebhook, []byte(`{}`), drover.At(present))
			if err != nil {
				return err
			}
			w.ids["test_event"], w.ids["delivery"] = d.EventID, drover.DeliveryID(target, d.EventID)
		}
		return nil
	})
	for range 2 {
		if worked, err := w.service.app.Exports.Next(tb.Context()); !worked || err != nil {
			tb.Fatalf("the export was not made: %v", err)
		}
	}
}

// addOthers makes what is foreign to alpha, what gamma sets on what is shared
// with it, and what work changes.
func (w *world) addOthers(tb testing.TB) {
	tb.Helper()
	w.addConnection(tb, "beta", "beta_conn", drover.ConnectionInput{BusinessName: "Beta", Tags: []string{"beta-only"}})
	w.addDevice(tb, "beta", "beta_device", "beta_conn", drover.Device{Active: true})
	derived := w.addTrip(tb, "beta", "beta_trip", "beta_conn", "beta_device",
		drover.Trip{StartTime: drover.At(present.Add(-time.Hour)), EndTime: drover.At(present), DurationSeconds: 3600, IsValid: true})
	why := `{"began":"movement","ended":"stop","decided_at":"` + drover.At(present.Add(5*time.Minute)).String() +
		`","estimated_metres":9000.5,"estimated_seconds":1200}`
	w.changeTrip(tb, derived, func(t *store.Trip) { t.Why = &why })
	w.addHistory(tb, "beta", "beta_device",
		drover.Position{Time: drover.At(present.Add(-time.Hour)), Latitude: 48.5, Longitude: 11.5, SpeedKPH: new(60.0), Ignition: new(true)},
		drover.Position{
			Time: drover.At(present.Add(-40 * time.Minute)), Latitude: 48.5, Longitude: 11.5, SpeedKPH: new(60.0),
			Ignition: new(true),
		},
		drover.Position{Time: drover.At(present), Latitude: 48.5, Longitude: 11.5, Ignition: new(false)},
	)
	w.addMilestone(tb, "beta", "beta", "beta_milestone", "beta_device", drover.Milestone{})
	w.addWebhook(tb, "beta", "beta_webhook", drover.Webhook{URL: "https://hooks.example/beta", Enabled: true, Filters: noFilters()})

	w.addMilestone(tb, "gamma", "alpha", "gamma_milestone", "device", drover.Milestone{})

	w.addConnection(tb, "work", "work_conn", drover.ConnectionInput{BusinessName: "Work"})
	w.addDevice(tb, "work", "work_device", "work_conn", drover.Device{Active: true})
	w.addRecompute(tb, "alpha", "recompute", drover.JobQueued)
	w.addRecompute(tb, "alpha", "other_recompute", drover.JobDone)
	for _, name := range []string{"offered", "other_offered"} {
		w.ids[name] = w.offer(tb, "alpha")["new_share"]
	}
}

// addRecompute adds a job of a tenant; one that is not over waits for a worker.
func (w *world) addRecompute(tb testing.TB, tenant, name string, state drover.JobState) string {
	tb.Helper()
	job := work.Recompute{TenantID: w.ids[tenant], Recompute: drover.Recompute{
		ID: w.name(name), State: state, From: drover.At(present.Add(-48 * time.Hour)), To: drover.At(present), Notify: true, DevicesTotal: 4,
		CreatedAt: drover.At(present),
	}}
	if state == drover.JobQueued {
		job.DueAt = new(drover.At(present.Add(time.Hour)))
	}
	w.update(tb, func(tx *store.Tx) error { return tx.Jobs.AddRecompute(tb.Context(), job) })
	return job.ID
}

// addEvents adds events of one of alpha's milestones to its feed.
func (w *world) addEvents(tb testing.TB, name string, types ...drover.EventType) {
	tb.Helper()
	var events []drover.Event
	m, err := w.service.app.Store.Trips.Milestone(tb.Context(), w.ids["alpha"], w.ids[name])
	if err != nil {
		tb.Fatal(err)
	}
	for _, typ := range types {
		id := w.ids[name]
		data := jsonText(m.Milestone)
		if typ == drover.EventMilestoneStarted {
			data = jsonText(drover.MilestoneStep{Milestone: m.Milestone, OccurredAt: drover.At(present)})
		}
		events = append(events, drover.Event{
			ID: w.name("event_" + strings.ReplaceAll(string(typ), ".", "_")), Type: typ,
			Timestamp: drover.At(present), MilestoneID: &id, Data: []byte(data),
		})
	}
	w.update(tb, func(tx *store.Tx) error { return journal.Append(tb.Context(), tx, w.ids["alpha"], events) })
}

func (w *world) addPosition(tb testing.TB, tenant, device string, p drover.Position) {
	tb.Helper()
	w.update(tb, func(tx *store.Tx) error {
		if _, err := tx.History.AddPositions(tb.Context(), w.ids[tenant],
			[]history.Position{history.Of(w.ids[device], p)}); err != nil {
			return err
		}
		return tx.Fleet.SetDeviceStates(tb.Context(), w.ids[tenant], []*store.DeviceState{{DeviceID: w.ids[device], Latest: &p}})
	})
}

// fresh makes what a name such as new_device stands for, and returns the names
// that it gave: each row of a table that changes something changes a record of
// its own.
func (w *world) fresh(tb testing.TB, name string) map[string]string {
	tb.Helper()
	switch name {
	case "new_share_token", "new_share_link", "new_share_milestone":
		m := w.fresh(tb, "new_milestone")["new_milestone"]
		id, token := w.shareMilestone(tb, "work", m)
		return map[string]string{"new_share_token": token, "new_share_link": id, "new_share_milestone": m}
	case "new_link_token", "new_link":
		id, token := w.inviteFleet(tb, "work", drover.ConnectionLinkInput{BusinessName: new("Miller")})
		return map[string]string{"new_link_token": token, "new_link": id}
	case "new_consent_token", "new_consent_conn":
		conn := w.addApplication(tb)
		_, token := w.inviteFleet(tb, "work", drover.ConnectionLinkInput{ConnectionID: &conn})
		return map[string]string{"new_consent_token": token, "new_consent_conn": conn}
	case "new_trip", "new_trip_device":
		device := w.addDevice(tb, "work", "new_trip_device", "work_conn", drover.Device{Active: true})
		w.addTrip(tb, "work", "new_trip", "work_conn", "new_trip_device", drover.Trip{
			StartLatitude: new(48.1), StartLongitude: new(11.5), EndLatitude: new(48.2), EndLongitude: new(11.6),
			StartTime: drover.At(present.Add(-2 * time.Hour)), EndTime: drover.At(present.Add(-time.Hour)),
			DistanceMetres: new(15230.5), DurationSeconds: 3600, DrivingSeconds: new(3000.0), IdlingSeconds: new(500.0),
			AuxiliarySeconds: new(100.0), IsValid: true,
		})
		return map[string]string{"new_trip": w.ids["new_trip"], "new_trip_device": device}
	case "new_user":
		return map[string]string{name: w.addUser(tb, drover.User{
			Username: "new-" + store.NewID(), TenantID: w.ids["work"],
			Role: drover.RoleMember,
		})}
	case "new_key", "new_key_secret":
		created, err := w.service.app.Fleet.Identity.CreateAPIKey(tb.Context(), w.admin("work"),
			drover.APIKeyInput{Name: "new", Role: new(drover.RoleMember)})
		if err != nil {
			tb.Fatal(err)
		}
		return map[string]string{"new_key": created.ID, "new_key_secret": created.Key}
	case "new_tenant":
		made, err := w.service.app.Fleet.Identity.CreateTenant(tb.Context(), identity.CommandLine, drover.TenantInput{Name: "new-" + store.NewID()})
		if err != nil {
			tb.Fatal(err)
		}
		return map[string]string{name: made.ID}
	case "new_share":
		return w.offer(tb, "beta")
	case "new_conn":
		return map[string]string{name: w.addConnection(tb, "work", name, drover.ConnectionInput{BusinessName: "Fresh"})}
	case "new_driver":
		w.addDriver(tb, "work", name, "work_conn", drover.Driver{SystemDriverID: "D-77-" + store.NewID(), Name: new("Bo"), Active: true})
		return map[string]string{name: w.ids[name]}
	case "new_device":
		return map[string]string{name: w.addDevice(tb, "work", name, "work_conn", drover.Device{
			Description: new("Fresh"), Registration: new("FR 1"), Make: new("MAN"), Model: new("TGX"), Year: new(2020),
			Active: true, Tags: []string{"old"},
		})}
	case "new_milestone":
		return map[string]string{name: w.addMilestone(tb, "work", "work", name, "work_device", drover.Milestone{
			EndTime: new(drover.At(present.Add(time.Hour))), WebhookURL: new(publicURL), WebhookEnabled: true,
		})}
	case "new_webhook":
		w.addWebhook(tb, "work", name, drover.Webhook{URL: publicURL, Enabled: true, Filters: noFilters()})
		return map[string]string{name: w.ids[name]}
	case "new_export":
		e := w.addExport(tb, "work")
		return map[string]string{name: e.ID}
	case "new_gone_export":
		e := work.Export{TenantID: w.ids["work"], Shares: []string{store.NewID()}, Export: drover.Export{
			ID: store.NewID(), Kind: drover.ExportTrips, Format: drover.ExportCSV, Filters: json.RawMessage(`{}`), State: drover.ExportDone,
			CreatedAt: drover.At(present),
		}}
		w.update(tb, func(tx *store.Tx) error { return tx.Jobs.AddExport(tb.Context(), e) })
		return map[string]string{name: e.ID}
	case "new_job":
		to := drover.At(present)
		job := store.Job{
			TenantID: w.ids["work"], ConnectionID: w.ids["work_conn"], ID: store.NewID(), Kind: store.JobTrips, State: store.JobActive,
			Backfill:   true,
			WindowFrom: drover.At(present.Add(-time.Hour)), WindowTo: &to, RemainingTo: &to, DueAt: to, CreatedAt: to,
		}
		w.update(tb, func(tx *store.Tx) error { return tx.Fleet.AddJob(tb.Context(), job) })
		return map[string]string{name: job.ID}
	case "new_note":
		return map[string]string{name: w.addNote(tb, "work", name, will, "work_device", "", time.Minute)}
	case "new_recompute":
		return map[string]string{name: w.addRecompute(tb, "work", name, drover.JobQueued)}
	case "new_access", "new_refresh", "new_session":
		tokens := w.openSession(tb, "gamma", carol)
		return map[string]string{"new_access": tokens.AccessToken, "new_refresh": tokens.RefreshToken, "new_session": w.ids[carol+"_session"]}
	}
	tb.Fatalf("nothing is called $%s", name)
	return nil
}

// addExport asks for an export of a tenant's trips.
func (w *world) addExport(tb testing.TB, tenant string) drover.Export {
	tb.Helper()
	e, err := w.service.app.Fleet.Exports.CreateExport(tb.Context(), w.admin(tenant),
		drover.ExportInput{Kind: drover.ExportTrips, Format: drover.ExportCSV})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// shareMilestone makes a link and returns its id and its text.
func (w *world) shareMilestone(tb testing.TB, tenant, milestone string) (id, token string) {
	tb.Helper()
	link, err := w.service.app.Fleet.Milestones.ShareMilestone(tb.Context(), w.admin(tenant), milestone, drover.MilestoneLinkInput{})
	if err != nil {
		tb.Fatal(err)
	}
	return link.ID, strings.TrimPrefix(link.URL, "/share/")
}

// inviteFleet makes a link and returns its id and its text.
func (w *world) inviteFleet(tb testing.TB, tenant string, in drover.ConnectionLinkInput) (id, token string) {
	tb.Helper()
	link, err := w.service.app.Fleet.Connections.CreateConnectionLink(tb.Context(), w.admin(tenant), in)
	if err != nil {
		tb.Fatal(err)
	}
	return link.ID, strings.TrimPrefix(link.URL, "/link/")
}

// addApplication makes a connection that has an application's credentials, and no one's
// consent.
func (w *world) addApplication(tb testing.TB) string {
	tb.Helper()
	c, err := w.service.app.Fleet.Connections.CreateConnection(tb.Context(), w.admin("work"), drover.ConnectionInput{
		IntegrationName: drover.JohnDeere, BusinessName: "Miller",
		Credentials: map[string]string{
			"base_url": "https://" + consentHost, "client_id": "0oa1", "client_secret": "application-secret",
			"redirect_uri": "https://fleet.example/link/consent",
		},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return c.ID
}

// addPredictions predicts the arrival of a milestone of alpha some minutes ago.
func (w *world) addPredictions(tb testing.TB, milestone string, minutes ...int) {
	tb.Helper()
	w.update(tb, func(tx *store.Tx) error {
		for _, m := range minutes {
			at := present.Add(-time.Duration(m) * time.Minute)
			p := store.Prediction{
				Time: drover.At(at), ETA: drover.At(at.Add(2 * time.Hour)), DistanceKM: 90.5,
				P10: drover.TimePtr(at.Add(105 * time.Minute)), P90: drover.TimePtr(at.Add(150 * time.Minute)),
			}
			if err := tx.Trips.AddPrediction(tb.Context(), w.ids["alpha"], w.ids[milestone], p); err != nil {
				return err
			}
		}
		return nil
	})
}

// offer makes a connection of work that is offered to a tenant.
func (w *world) offer(tb testing.TB, tenant string) map[string]string {
	tb.Helper()
	conn := w.addConnection(tb, "work", "offered_conn", drover.ConnectionInput{BusinessName: "Offered"})
	share, err := w.service.app.Fleet.Shares.ShareWith(tb.Context(), w.admin("work"), conn, w.ids[tenant])
	if err != nil {
		tb.Fatal(err)
	}
	return map[string]string{"new_share": share.ID, "new_share_conn": conn}
}
