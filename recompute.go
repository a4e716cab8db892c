package drover

// RecomputeInput starts a job that derives the trips of a window again.
type RecomputeInput struct {
	From         Time    `json:"from" doc:"The trips that positions from here on make."`
	To           Time    `json:"to" doc:"Up to here. The work begins and ends where vehicles rest, so it may reach a little further on both sides."`
	ConnectionID *string `json:"connection_id" required:"false" maxLength:"255" doc:"Only devices of this connection."`
	DeviceID     *string `json:"device_id" required:"false" maxLength:"255" doc:"Only this device."`
	Notify       *bool   `json:"notify" required:"false" doc:"Whether new trips are announced by events too. Changes of trips that were announced before always are. True unless sent."`
}

// JobState is the state of a job.
type JobState string

// The states of a job.
const (
	JobQueued    JobState = "queued"
	JobRunning   JobState = "running"
	JobDone      JobState = "done"
	JobFailed    JobState = "failed"
	JobCancelled JobState = "cancelled"
)

// Recompute is a job that derives the trips of a window again.
type Recompute struct {
	ID           string   `json:"id"`
	State        JobState `json:"state" enum:"queued,running,done,failed,cancelled"`
	From         Time     `json:"from"`
	To           Time     `json:"to"`
	ConnectionID *string  `json:"connection_id"`
	DeviceID     *string  `json:"device_id"`
	Notify       bool     `json:"notify"`
	DevicesTotal int      `json:"devices_total"`
	DevicesDone  int      `json:"devices_done"`
	DonePercent  float64  `json:"done_percent"`
	TripsAdded   int      `json:"trips_added"`
	TripsChanged int      `json:"trips_changed"`
	TripsRemoved int      `json:"trips_removed"`
	Error        *string  `json:"error"`
	CreatedAt    Time     `json:"created_at"`
	StartedAt    *Time    `json:"started_at"`
	FinishedAt   *Time    `json:"finished_at"`
}
