package drover

import "time"

// Retention is for how many days things are kept; nil is for ever.
type Retention struct {
	PositionDays      *int `json:"position_days" doc:"Days for which positions are kept; null is for ever."`
	EventDays         *int `json:"event_days" doc:"Days for which events are kept; null is for ever."`
	PositionEventDays *int `json:"position_event_days" doc:"Days for which events about positions are kept; null is for ever."`
}

// The shortest times for which an operator or a tenant may have data kept.
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
