package outbound

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Kind says what a failure means for the connection.
type Kind string

// The kinds of failure.
const (
	// KindCredentials: the other side refuses the credentials. A person must act.
	KindCredentials Kind = "credentials"
	// KindRateLimited: too many calls. Until says when to come back.
	KindRateLimited Kind = "rate_limited"
	// KindTemporary: an outage, a time-out, an answer that makes no sense.
	KindTemporary Kind = "temporary"
	// KindPermanent: asking the same again gives the same refusal: a missing
	// right, an unknown account, a function the contract lacks.
	KindPermanent Kind = "permanent"
)

// Error is a failure of a call. Its text is in words that a user
// understands and never holds a secret.
type Error struct {
	Kind  Kind
	Until time.Time // for KindRateLimited; zero where the other side did not say
	Err   error
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error of kind. Where the format wraps an error with %w, it
// stays reachable by errors.Is and errors.As.
func Errorf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Err: fmt.Errorf(format, args...)}
}

// KindOf returns the kind of err: KindTemporary where it has none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return KindTemporary
}

// RetryAt returns when a rate-limited call may be made again, zero where the
// vendor did not say.
func RetryAt(err error) time.Time {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Until
	}
	return time.Time{}
}

// Canceled reports whether err comes from the caller's own context.
func Canceled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// StatusError is a vendor's answer of 400 or above. Body is its beginning, with
// secrets removed.
type StatusError struct {
	Status int
	Body   string
}

// StatusOf returns the status of an answer that became an error, 0 for other
// errors.
func StatusOf(err error) int {
	if e, ok := errors.AsType[*StatusError](err); ok {
		return e.Status
	}
	return 0
}

func (e *StatusError) Error() string { return fmt.Sprintf("status %d", e.Status) }
