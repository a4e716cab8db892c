package drover

import (
	"errors"
	"fmt"
	"time"
)

// Kind says what sort of failure an Error is. The API maps each kind to one
// HTTP status.
type Kind int

// The kinds of failure. Internal is the zero value, so that an error no one
// classified is never shown to a caller.
const (
	KindInternal        Kind = iota
	KindMalformed            // the token is no JWT, or the path names no place
	KindUnauthenticated      // no token, or one that is refused
	KindForbidden            // the record exists and is not the caller's
	KindNotFound
	KindInvalid // the request fails validation
	KindTooLarge
	KindRateLimited
	KindUnavailable
	KindConflict
	KindGone    // it was there, and is not kept or may not be read any more
	KindChanged // the record is not the one that the caller has read
)

// Error is the only error whose text reaches a caller. Message may be shown
// word for word; Err is for the log and is never shown.
type Error struct {
	Kind    Kind
	Message string
	Err     error

	// Loc and Type are set for KindInvalid only: where the fault is, starting
	// with body, query, path or header, and pydantic's word for it.
	Loc  []any
	Type string

	// RetryAfter tells a refused caller when to come back; zero says nothing.
	RetryAfter time.Duration

	// Required names the right or the scope that a refused caller would need; empty
	// where none would help.
	Required string

	// Factor is the step of the second factor that a refused caller has to take first; empty
	// where none would help.
	Factor FactorStep
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error of the given kind.
func Errorf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// ErrorKind returns the kind of err, KindInternal where it is no Error.
func ErrorKind(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return KindInternal
}

// Forbidden is the answer to a caller who names a record that exists and is
// neither its own nor shared with it.
func Forbidden() *Error {
	return &Error{Kind: KindForbidden, Message: "You do not have access to this resource"}
}

// Requires is Forbidden for a caller who would need a right, or a scope of a share.
func Requires[S ~string](needed S) *Error {
	e := Forbidden()
	e.Required = string(needed)
	return e
}

// Invalid makes a validation error at loc with pydantic's type and words.
func Invalid(typ, msg string, loc ...any) *Error {
	return &Error{Kind: KindInvalid, Message: msg, Type: typ, Loc: loc}
}

// InvalidValue is the validation error of a rule of our own, which pydantic
// reports as a value_error.
func InvalidValue(reason string, loc ...any) *Error {
	return Invalid("value_error", "Value error, "+reason, loc...)
}

// Under returns err with prefix put before its location, where it is a
// validation error: a rule that checks one value does not know where in the
// request that value stood.
func Under(err error, prefix ...any) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != KindInvalid {
		return err
	}
	moved := *e
	moved.Loc = append(append([]any{}, prefix...), e.Loc...)
	return &moved
}
