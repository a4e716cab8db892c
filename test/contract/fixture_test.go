package contract_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// addAlpha makes one record of each kind with every field filled, and one with
// every field empty that can be.
func (w *world) addAlpha(t testing.TB) {
	t.Helper()
	w.addConnection(t, "alpha", "conn", drover.ConnectionInput{
		BusinessName: "Alpha Haulage", ABN: ptr("51824753556"), Email: ptr("fleet@alpha.example"), Tags: []string{"South", "north"},
		CollectionStartTime: ptr(drover.At(present.Add(-24*time.Hour + 500*time.Millisecond))), CollectionEndTime: ptr(drover.At(present.Add(24 * time.Hour))),
	})
	w.addConnection(t, "alpha", "plain_conn", drover.ConnectionInput{BusinessName: "Alpha Vans", Active: ptr(false)})
	if _, err := w.service.app.Fleet.Share(t.Context(), w.admin("alpha"), w.ids["conn"], w.ids["gamma"]); err != nil {
		t.Fatal(err)
	}
	w.addDevice(t, "alpha", "device", "conn", drover.Device{
		SystemDeviceID: "truck-12", Description: ptr("Truck 12"), Registration: ptr("AB12 CDE"), Make: ptr("DAF"), Model: ptr("XF"),
		Year: ptr(2019), Active: true, Tags: []string{"cold", "north"},
	})
	w.addDevice(t, "alpha", "bare_device", "conn", drover.Device{SystemDeviceID: "bare"})
	w.addDevice(t, "alpha", "private_device", "plain_conn", drover.Device{SystemDeviceID: "van-1", Active: true})
	w.addPosition(t, "alpha", "device", drover.Position{
		Time: drover.At(present.Add(-time.Hour)), Latitude: 48.5, Longitude: 11.5, Ignition: ptr(true), Auxiliary: ptr(false), OdometerMetres: ptr(1000.5),
	})
	w.addPosition(t, "alpha", "device", drover.Position{
		Time: drover.At(present.Add(-time.Minute + 250*time.Millisecond)), Latitude: 48.9, Longitude: 11.4,
		Heading: ptr(352.0), SpeedKPH: ptr(71.5), DriverID: ptr("D-17"),
	})
	w.addPosition(t, "alpha", "private_device", drover.Position{Time: drover.At(present.Add(-15 * time.Minute)), Latitude: 48.5, Longitude: 11.5})
	w.addTrip(t, "alpha", "trip", "conn", "device", drover.Trip{
		StartLatitude: ptr(48.1), StartLongitude: ptr(11.5), EndLatitude: ptr(48.2), EndLongitude: ptr(11.6),
		StartTime: drover.At(present.Add(-2 * time.Hour)), EndTime: drover.At(present.Add(-time.Hour + time.Millisecond)),
		DistanceMetres: ptr(15230.5), DurationSeconds: 3600.001, DrivingSeconds: ptr(3000.0), IdlingSeconds: ptr(500.0), AuxiliarySeconds: ptr(100.001), IsValid: true,
	})
	w.addTrip(t, "alpha", "bare_trip", "conn", "bare_device", drover.Trip{
		StartTime: drover.At(present.Add(-4 * time.Hour)), EndTime: drover.At(present.Add(-4 * time.Hour)), ValidationComments: ptr("The trip has no duration."),
	})
	w.addTrip(t, "alpha", "private_trip", "plain_conn", "private_device", drover.Trip{
		StartTime: drover.At(present.Add(-8 * 24 * time.Hour)), EndTime: drover.At(present.Add(-8*24*time.Hour + time.Minute)), DurationSeconds: 60, IsValid: true,
	})
	w.addMilestone(t, "alpha", "alpha", "milestone", "device", drover.Milestone{
		Status: drover.TripInProgress, EndTime: ptr(drover.At(present.Add(3 * time.Hour))), WebhookURL: ptr("https://hooks.example/m"), WebhookEnabled: true,
		WebhookErrorCount: 2, LastWebhookError: ptr("the target answered 503"), LastWebhookErrorAt: ptr(drover.At(present.Add(-time.Minute))),
	})
	w.addMilestone(t, "alpha", "alpha", "silent_milestone", "bare_device", drover.Milestone{})
	w.addMilestone(t, "alpha", "alpha", "stale_milestone", "private_device", drover.Milestone{})
	w.addMilestone(t, "alpha", "alpha", "ended_milestone", "device", drover.Milestone{Status: drover.TripEnded})
	full := drover.WebhookFilters{
		ConnectionIDs: []string{w.ids["conn"]}, Tags: []string{"north"}, DeviceIDs: []string{w.ids["device"]},
		ConnectionDevices: []drover.ConnectionDevices{{ConnectionID: w.ids["plain_conn"], SystemDeviceIDs: []string{"van-1"}}},
	}
	w.addWebhook(t, "alpha", "webhook", drover.Webhook{
		URL: "https://hooks.example/full", Enabled: true, ErrorCount: 3, LastError: ptr("the target answered 503"), LastErrorAt: ptr(drover.At(present)),
		Filters: full, Options: drover.WebhookOptions{IncludeSpeed: true, IncludeDriverID: true},
	})
	w.addWebhook(t, "alpha", "bare_webhook", drover.Webhook{URL: "https://hooks.example/bare", Filters: noFilters()})
}

// addOthers makes what is foreign to alpha, what gamma sets on what is shared
// with it, and what work changes.
func (w *world) addOthers(t testing.TB) {
	t.Helper()
	w.addConnection(t, "beta", "beta_conn", drover.ConnectionInput{BusinessName: "Beta", Tags: []string{"beta-only"}})
	w.addDevice(t, "beta", "beta_device", "beta_conn", drover.Device{Active: true})
	w.addTrip(t, "beta", "beta_trip", "beta_conn", "beta_device", drover.Trip{StartTime: drover.At(present.Add(-time.Hour)), EndTime: drover.At(present), DurationSeconds: 3600, IsValid: true})
	w.addMilestone(t, "beta", "beta", "beta_milestone", "beta_device", drover.Milestone{})
	w.addWebhook(t, "beta", "beta_webhook", drover.Webhook{URL: "https://hooks.example/beta", Enabled: true, Filters: noFilters()})

	w.addMilestone(t, "gamma", "alpha", "gamma_milestone", "device", drover.Milestone{})

	w.addConnection(t, "work", "work_conn", drover.ConnectionInput{BusinessName: "Work"})
	w.addDevice(t, "work", "work_device", "work_conn", drover.Device{Active: true})
}

func (w *world) addPosition(t testing.TB, tenant, device string, p drover.Position) {
	t.Helper()
	w.update(t, func(tx *store.Tx) error {
		if _, err := tx.AddPositions(t.Context(), w.ids[tenant], []store.Position{{DeviceID: w.ids[device], Position: p}}); err != nil {
			return err
		}
		return tx.SetLatestPosition(t.Context(), w.ids[tenant], w.ids[device], p)
	})
}

// fresh makes what a name such as new_device stands for, and returns the names
// that it gave: each row of a table that changes something changes a record of
// its own.
func (w *world) fresh(t testing.TB, name string) map[string]string {
	t.Helper()
	switch name {
	case "new_conn":
		return map[string]string{name: w.addConnection(t, "work", name, drover.ConnectionInput{BusinessName: "Fresh"})}
	case "new_device":
		return map[string]string{name: w.addDevice(t, "work", name, "work_conn", drover.Device{
			Description: ptr("Fresh"), Registration: ptr("FR 1"), Make: ptr("MAN"), Model: ptr("TGX"), Year: ptr(2020),
			Active: true, Tags: []string{"old"},
		})}
	case "new_milestone":
		return map[string]string{name: w.addMilestone(t, "work", "work", name, "work_device", drover.Milestone{
			EndTime: ptr(drover.At(present.Add(time.Hour))), WebhookURL: ptr(publicURL), WebhookEnabled: true,
		})}
	case "new_job":
		to := drover.At(present)
		job := store.Stream{
			TenantID: w.ids["work"], ConnectionID: w.ids["work_conn"], ID: store.NewID(), Kind: store.StreamTrips, State: store.StreamActive, History: true,
			WindowFrom: drover.At(present.Add(-time.Hour)), WindowTo: &to, RemainingTo: &to, DueAt: to, CreatedAt: to,
		}
		w.update(t, func(tx *store.Tx) error { return tx.AddStream(t.Context(), job) })
		return map[string]string{name: job.ID}
	case "new_access", "new_refresh":
		tokens := w.openSession(t, "gamma", carol)
		return map[string]string{"new_access": tokens.AccessToken, "new_refresh": tokens.RefreshToken}
	}
	t.Fatalf("nothing is called $%s", name)
	return nil
}
