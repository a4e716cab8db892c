package drover

// Storage is the size of a tenant's history in the database.
type Storage struct {
	Positions PositionStorage `json:"positions"`
	Events    EventStorage    `json:"events"`
	// GrowthBytesPerDay is null before a day was packed.
	GrowthBytesPerDay *int64 `json:"growth_bytes_per_day" doc:"By how much the history grows in a day, once its positions are packed; an average of the last seven packed days. Null before there is one."`
	GeneratedAt       Time   `json:"generated_at"`
}

// AccountStorage is the size of a tenant's history, and its retention.
type AccountStorage struct {
	Storage
	Retention Retention `json:"retention" doc:"For how long things are kept. The operator sets it."`
}

// PositionStorage is the size of the positions.
type PositionStorage struct {
	Rows             int64    `json:"rows" doc:"Positions that are not packed yet."`
	RowBytes         int64    `json:"row_bytes" doc:"What they take, with their index; estimated."`
	Packed           int64    `json:"packed" doc:"Positions in packed days."`
	Blocks           int64    `json:"blocks" doc:"Packed days, or parts of large ones."`
	PackedBytes      int64    `json:"packed_bytes" doc:"What packed positions take."`
	BytesPerPosition *float64 `json:"bytes_per_position" doc:"Of packed positions. Null before there are any."`
	PerDay           *float64 `json:"per_day" doc:"Positions of a day, on the average of the last seven packed days. Null before there is one."`
}

// EventStorage is the size of the feed.
type EventStorage struct {
	Rows  int64 `json:"rows" doc:"Events that are kept."`
	Bytes int64 `json:"bytes" doc:"What they take; estimated from the newest."`
}
