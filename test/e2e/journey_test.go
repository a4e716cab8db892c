package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// The paths of the receiver: a registered webhook's, and the milestone's own.
const (
	hookPath      = "/webhook"
	milestonePath = "/milestone"
)

// refusals are answered with 503 at first: the start and the end of the journey,
// and the positions that came with the start.
var refusals = map[drover.EventType]int{
	drover.EventMilestoneStarted: 1, drover.EventMilestoneEnded: 1, drover.EventPositionUpdated: 2,
}

// journey is a vehicle on its way under a milestone, and who hears of it.
type journey struct {
	t         *testing.T
	c         *client
	drive     *drive
	receiver  *receiver
	device    drover.Device
	hook      drover.WebhookCreated
	milestone drover.Milestone
}

// TestJourney follows a vehicle from one point to another, as a receiver of
// webhooks hears of it and as the API shows it, step by step.
func TestJourney(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s site) {
		t.Helper()
		// All that the vehicle reports is young enough, until the service is set otherwise.
		p := serve(t, s, append([]string{"--milestone-timeout", "2h"}, collecting...)...)
		j := newJourney(t, logIn(t, p, "demo"))
		j.checkUnseen()
		for _, sample := range j.drive.steps() {
			j.drive.reach(sample)
			j.awaitReported(sample)
			j.checkStatus(sample)
			j.checkUpdate(sample)
		}
		j.checkLog()
		p.terminate(t)
		if code := p.wait(t); code != 0 {
			t.Fatalf("exit code %d:\n%s", code, p.log)
		}
		j.checkReported()
		p = serve(t, s, "--role", "api", "--milestone-timeout", "1m")
		j.c = j.c.at(p)
		j.checkTimedOut()
	})
}

// newJourney connects the vendor, and subscribes a receiver to the journey of its
// vehicle that is to come.
func newJourney(t *testing.T, c *client) *journey {
	t.Helper()
	j := &journey{t: t, c: c, drive: newDrive(t)}
	var conn drover.Connection
	c.must(t, &conn, http.MethodPost, "/connection", fmt.Sprintf(
		`{"integration_name":%q,"business_name":"Haulier","collection_start_time":%q,"credentials":{"base_url":%q,"token":"t"}}`,
		drover.Flespi, j.drive.from.Format(time.RFC3339), j.drive.url))
	eventually(t, func() error {
		var devices []drover.Device
		c.must(t, &devices, http.MethodGet, "/device?connection_id="+conn.ID, "")
		for _, d := range devices {
			if d.SystemDeviceID == j.drive.vehicle.ID {
				j.device = d
				return nil
			}
		}
		return fmt.Errorf("vehicle %s is not among %d devices", j.drive.vehicle.ID, len(devices))
	})
	j.subscribe()
	return j
}

// subscribe makes the webhook, starts the receiver, and makes the milestone.
func (j *journey) subscribe() {
	j.t.Helper()
	socket, url := listenForReceiver(j.t)
	j.c.must(j.t, &j.hook, http.MethodPost, "/webhook", fmt.Sprintf(
		`{"url":%q,"filters":{"device_ids":[%q]},"options":{"include_speed":true,"include_driver_id":true}}`, url+hookPath, j.device.ID))
	var account drover.WebhookSecret
	j.c.must(j.t, &account, http.MethodGet, "/account/webhook-secret", "")
	j.receiver = startReceiver(j.t, socket, receiverSettings{
		Secrets: map[string]string{hookPath: j.hook.Secret, milestonePath: account.Secret}, Refuse: refusals,
	})
	point := func(c drover.Coordinate) string {
		return fmt.Sprintf(`{"latitude":%v,"longitude":%v}`, c.Latitude, c.Longitude)
	}
	j.c.must(j.t, &j.milestone, http.MethodPost, "/milestone", fmt.Sprintf(
		`{"device_id":%q,"start_point":%s,"end_point":%s,"start_time":%q,"webhook_url":%q,"webhook_enabled":true}`,
		j.device.ID, point(j.drive.a), point(j.drive.b), j.drive.from.Format(time.RFC3339), url+milestonePath))
	for _, path := range []string{hookPath, milestonePath} {
		j.receiver.until(j.t, func() error { return j.hasReported(path, drover.EventMilestoneCreated) })
	}
}

// awaitReported waits until the receiver has accepted all that there is to tell when
// the vehicle is at a sample.
func (j *journey) awaitReported(sample int) {
	j.t.Helper()
	for _, path := range []string{hookPath, milestonePath} {
		j.receiver.until(j.t, func() error {
			if sample >= j.drive.started {
				if err := j.hasReported(path, drover.EventMilestoneStarted); err != nil {
					return err
				}
			}
			if sample >= j.drive.ended {
				if err := j.hasReported(path, drover.EventMilestoneEnded); err != nil || path == milestonePath {
					return err // which hears of no positions any more
				}
			}
			return j.hasMoved(path, sample)
		})
	}
}

func (j *journey) hasReported(path string, typ drover.EventType) error {
	for _, r := range j.receiver.at(j.t, path) {
		if r.Type == typ && r.accepted() {
			return nil
		}
	}
	return fmt.Errorf("%s was not accepted at %s", typ, path)
}

func (j *journey) hasMoved(path string, sample int) error {
	for _, r := range j.receiver.at(j.t, path) {
		if points := j.points(r); r.accepted() && len(points) > 0 && points[len(points)-1].Timestamp == j.drive.samples[sample].Time {
			return nil
		}
	}
	return fmt.Errorf("sample %d was not accepted at %s", sample, path)
}

// points are the positions of a delivery; none where it is about something else.
func (j *journey) points(r receipt) []drover.DevicePosition {
	j.t.Helper()
	if r.Type != drover.EventPositionUpdated {
		return nil
	}
	var moved drover.PositionBatch
	j.decode(r, &moved)
	return moved.Positions
}

func (j *journey) decode(r receipt, into any) {
	j.t.Helper()
	if err := json.Unmarshal(r.Data, into); err != nil {
		j.t.Fatalf("%s %s: %v", r.Type, r.ID, err)
	}
}

// latest is the newest of what the webhook has accepted that satisfies f.
func (j *journey) latest(f func(r receipt) bool) (newest receipt) {
	j.t.Helper()
	for _, r := range j.receiver.at(j.t, hookPath) {
		if r.accepted() && f(r) && r.Sequence > newest.Sequence {
			newest = r
		}
	}
	return newest
}

// checkStatus holds the milestone against what was reported last of it, and both
// against the truth.
func (j *journey) checkStatus(sample int) {
	j.t.Helper()
	want := drover.TripNotStarted
	switch {
	case sample >= j.drive.ended:
		want = drover.TripEnded
	case sample >= j.drive.started:
		want = drover.TripInProgress
	}
	var reported drover.MilestoneStep
	j.decode(j.latest(func(r receipt) bool { return isMilestone(r.Type) }), &reported)
	var got drover.Milestone
	j.c.must(j.t, &got, http.MethodGet, "/milestone/"+j.milestone.ID, "")
	if got.Status != want {
		j.t.Errorf("at sample %d the milestone is %s, want %s", sample, got.Status, want)
	}
	// How its own webhook fares is no part of what was reported.
	health := cmpopts.IgnoreFields(drover.Milestone{}, "WebhookErrorCount", "LastWebhookError", "LastWebhookErrorAt")
	if diff := cmp.Diff(reported.Milestone, got, health); diff != "" {
		j.t.Errorf("at sample %d the milestone (-reported +shown):\n%s", sample, diff)
	}
}

// checkUpdate holds the update record against the positions that were reported last,
// and both against the truth.
func (j *journey) checkUpdate(sample int) {
	j.t.Helper()
	before := time.Now()
	got := j.update()
	points := j.points(j.latest(func(r receipt) bool { return r.Type == drover.EventPositionUpdated }))
	reported := &points[len(points)-1].CurrentPosition
	if diff := cmp.Diff(j.drive.samples[sample].View(), reported, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		j.t.Errorf("the position of sample %d (-driven +reported):\n%s", sample, diff)
	}
	if diff := cmp.Diff(j.record(reported), got, cmpopts.IgnoreFields(drover.MilestoneProgress{}, "ETA",
		"DistanceToDestinationKM")); diff != "" {
		j.t.Errorf("the update record at sample %d (-reported +shown):\n%s", sample, diff)
	}
	if got.Variant() != drover.MilestoneValidState || got.DistanceToDestinationKM == nil {
		j.t.Fatalf("the update record at sample %d is %+v", sample, got)
	}
	straight := geo.DistanceMetres(j.drive.samples[sample].Point(), j.drive.b) / 1000
	if km := *got.DistanceToDestinationKM; km < straight-roundedKM || km > longestDetour*straight+roundedKM {
		j.t.Errorf("at sample %d %v km remain, %v as the crow flies", sample, km, straight)
	}
	switch end := j.drive.samples[j.drive.entered].Time; {
	case sample >= j.drive.ended && *got.ETA != end:
		j.t.Errorf("the ETA after the end is %s, want %s", got.ETA, end)
	case sample < j.drive.ended && got.ETA.Before(before.Add(-roundedETA)):
		j.t.Errorf("the ETA at sample %d is %s, in the past", sample, got.ETA)
	}
}

const (
	// roundedKM and roundedETA are by how much an update record is rounded.
	roundedKM  = 0.01
	roundedETA = time.Minute
	// longestDetour is the most by which a way is taken to be longer than a straight
	// line.
	longestDetour = 3
)

func (j *journey) update() (got drover.MilestoneProgress) {
	j.t.Helper()
	j.c.must(j.t, &got, http.MethodGet, "/milestone/"+j.milestone.ID+"/update", "")
	return got
}

// record is the update record at a position, without ETA and distance.
func (j *journey) record(at *drover.CurrentPosition) drover.MilestoneProgress {
	p := drover.MilestoneProgress{
		MilestoneID: j.milestone.ID, ConnectionID: j.device.ConnectionID, DeviceID: j.device.ID, SystemDeviceID: j.drive.vehicle.ID,
		CurrentPosition: at,
	}
	if at != nil {
		p.LastUpdatedAt = &at.Timestamp
	}
	return p
}

// checkUnseen holds that a vehicle that was never seen has no place and no ETA.
func (j *journey) checkUnseen() {
	j.t.Helper()
	if diff := cmp.Diff(j.record(nil), j.update()); diff != "" {
		j.t.Errorf("the update record before any position (-want +got):\n%s", diff)
	}
}

// checkTimedOut holds that of a vehicle that is silent only the last position is
// known.
func (j *journey) checkTimedOut() {
	j.t.Helper()
	last := j.drive.samples[len(j.drive.samples)-1].View()
	if diff := cmp.Diff(j.record(last), j.update(), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		j.t.Errorf("the update record after the timeout (-want +got):\n%s", diff)
	}
}
