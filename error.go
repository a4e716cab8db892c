package drover

import (
	"errors"
	"fmt"
	"time"
)

// Kind classifies an Error. The API maps each kind to one HTTP status.
type Kind int

// The kinds of errors. Internal is the zero value, so that an unclassified error is never
// shown to a caller.
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

// Error is the only error whose text is returned to a caller: Message is shown, and Err is
// only logged.
type Error struct {
	Kind    Kind
	Message string
	Err     error

	// Loc and Type are set for KindInvalid only: the place of the error, starting with body,
	// query, path or header, and pydantic's name for it.
	Loc  []any
	Type string

	// RetryAfter is when a refused caller may try again; zero if unknown.
	RetryAfter time.Duration

	// Required is the right or scope that a refused caller would need; empty if none would
	// help.
	Required string

	// Factor is the step of the second factor that a refused caller must do first; empty if
	// none would help.
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

// ErrorKind returns the kind of err, KindInternal if it is not an Error.
func ErrorKind(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return KindInternal
}

// Forbidden is the error for a record that exists and is neither the caller's own nor shared
// with it.
func Forbidden() *Error {
	return &Error{Kind: KindForbidden, Message: "You do not have access to this resource"}
}

// Requires is Forbidden with the right, or the scope of a share, that the caller needs.
func Requires[S ~string](needed S) *Error {
	e := Forbidden()
	e.Required = string(needed)
	return e
}

// Invalid returns a validation error at loc with pydantic's type and message.
func Invalid(typ, msg string, loc ...any) *Error {
	return &Error{Kind: KindInvalid, Message: msg, Type: typ, Loc: loc}
}

// InvalidValue is the validation error of a custom rule, which pydantic calls a value_error.
func InvalidValue(reason string, loc ...any) *Error {
	return Invalid("value_error", "Value error, "+reason, loc...)
}

// Under returns err with prefix added to its location, if it is a validation error: a rule
// that checks one value does not know where in the request the value is.
func Under(err error, prefix ...any) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != KindInvalid {
		return err
	}
	moved := *e
	moved.Loc = append(append([]any{}, prefix...), e.Loc...)
	return &moved
}
