package drover

import "time"

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
