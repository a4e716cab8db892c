package reading

import "time"

// A kind of readings is lost that half of the devices had and none has had for a day in which they
// drove. What a trip brings comes some time after it began: LostDelay.
const (
	LostAfter = 24 * time.Hour
	LostDelay = 2 * time.Hour
	HadWithin = 8 * 24 * time.Hour
)

// Lost reports whether a connection has lost a kind of readings. Of its devices, driven are those
// with a trip begun between LostAfter and LostDelay ago, had those with the kind since HadWithin ago,
// and has since LostAfter ago. A fleet that rests has lost nothing: its trackers report on, and what
// comes from an engine does not.
func Lost(devices, driven, had, has int) bool {
	return has == 0 && had > 0 && 2*had >= devices && 2*driven >= had
}
