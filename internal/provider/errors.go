package provider

import (
	"time"

	"github.com/drover-fleet/drover/internal/outbound"
)

// What can go wrong with a vendor is what can go wrong with any call: package
// outbound owns the kinds and says what each means. These are the names by which
// adapters, and those who run them, know them.
type (
	// Kind says what a failure means for the connection.
	Kind = outbound.Kind
	// Error is a failure of a vendor's call, in words that a user understands.
	Error = outbound.Error
	// StatusError is a vendor's answer of 400 or above.
	StatusError = outbound.StatusError
)

// The kinds of failure.
const (
	KindCredentials = outbound.KindCredentials
	KindRateLimited = outbound.KindRateLimited
	KindTemporary   = outbound.KindTemporary
	KindPermanent   = outbound.KindPermanent
)

// Errorf makes an Error of kind. Where the format wraps an error with %w, it
// stays reachable by errors.Is and errors.As.
func Errorf(kind Kind, format string, args ...any) *Error {
	return outbound.Errorf(kind, format, args...)
}

// KindOf returns the kind of err: KindTemporary where it has none.
func KindOf(err error) Kind { return outbound.KindOf(err) }

// RetryAt returns when a rate-limited call may be made again, zero where the
// vendor did not say.
func RetryAt(err error) time.Time { return outbound.RetryAt(err) }

// Canceled reports whether err comes from the caller's own context.
func Canceled(err error) bool { return outbound.Canceled(err) }

// StatusOf returns the status of an answer that became an error, 0 for other
// errors.
func StatusOf(err error) int { return outbound.StatusOf(err) }
