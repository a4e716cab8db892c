package drover

import "time"

// Retention is the number of days for which data is kept; nil means for ever.
type Retention struct {
	PositionDays      *int `json:"position_days" doc:"Days for which positions are kept; null is for ever."`
	EventDays         *int `json:"event_days" doc:"Days for which events are kept; null is for ever."`
	PositionEventDays *int `json:"position_event_days" doc:"Days for which events about positions are kept; null is for ever."`
}

// The shortest retentions that an operator or a tenant may set.
const (
	// MinPositionRetention: trips are derived from positions that may come late.
	MinPositionRetention = 7 * 24 * time.Hour
	// MinEventRetention: deliveries are rendered from events, and can be replayed
	// for as long.
	MinEventRetention = 30 * 24 * time.Hour
	// MinPositionEventRetention: a webhook is tried for days, and positions give way to
	// newer ones meanwhile.
	MinPositionEventRetention = 7 * 24 * time.Hour
)
