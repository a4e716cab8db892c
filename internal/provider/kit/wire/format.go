package wire

import "time"

// ISO writes t in UTC to the second, for queries.
func ISO(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// ISOMilli writes t in UTC to the millisecond, for queries.
func ISOMilli(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// CeilSecond returns the first whole second that is not before t: what a query in
// whole seconds ends with, so that nothing is cut off.
func CeilSecond(t time.Time) time.Time {
	return t.Add(time.Second - time.Nanosecond).Truncate(time.Second)
}
