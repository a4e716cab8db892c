package wialon

import (
	"errors"
	"fmt"

	"github.com/drover-fleet/drover/internal/provider"
)

// The codes of errors that mean something to the adapter.
const (
	codeSession       = 1
	codeService       = 2
	codeInvalidInput  = 4
	codeFailed        = 5
	codeUnknown       = 6
	codeDenied        = 7
	codeWrongToken    = 8
	codeConcurrent    = 10
	codeBilling       = 14
	codeNoMessages    = 1001
	codeOneAtATime    = 1003
	codeTooMany       = 1004
	codeSessionForged = 1011 // the address changed, or the session ended
)

// codeError is an error by the vendor's code. The reason that may come with it is
// not kept: it quotes what was sent.
type codeError int

func (e codeError) Error() string {
	switch e {
	case codeSession, codeSessionForged:
		return "the session has ended"
	case codeService:
		return "Wialon does not know the service"
	case codeInvalidInput:
		return "Wialon does not accept the input"
	case codeDenied:
		return "Wialon denies access: the token lacks a right"
	case codeWrongToken:
		return "Wialon refuses the token"
	case codeConcurrent, codeOneAtATime:
		return "Wialon asks for fewer calls at once"
	case codeBilling:
		return "Wialon's billing does not allow the call"
	default:
		return fmt.Sprintf("Wialon answers error %d", int(e))
	}
}

// codeOf returns the vendor's code, zero where err has none.
func codeOf(err error) int {
	code, _ := errors.AsType[codeError](err)
	return int(code)
}

func sessionEnded(err error) bool {
	code := codeOf(err)
	return code == codeSession || code == codeSessionForged
}

// kind gives a code its kind; nil for zero, which is success.
func kind(code int) error {
	switch code {
	case 0:
		return nil
	case codeWrongToken:
		return provider.Errorf(provider.KindCredentials, "%w", codeError(code))
	case codeConcurrent, codeOneAtATime:
		return provider.Errorf(provider.KindRateLimited, "%w", codeError(code))
	case codeService, codeInvalidInput, codeDenied, codeBilling:
		return provider.Errorf(provider.KindPermanent, "%w", codeError(code))
	default:
		return provider.Errorf(provider.KindTemporary, "%w", codeError(code))
	}
}

// What fails for a unit may be the unit's own trouble or the server's: the codes do
// not tell.
const (
	// inARow is how many units in a row may fail before it is the server's.
	inARow = 3
	// attempts is how often a unit's past is asked for before it is given up.
	attempts = 5
)

// failing counts the units that answer with nothing but a failure. The zero value
// is ready.
type failing struct {
	row   int            // live, since a unit was read
	tries map[string]int // of the past of each unit
}

// ofOneUnit drops the errors of one unit, which must not hold up all others: that
// it has no messages, or was deleted or closed to the user since the fleet was
// listed; and that the server fails over it while it serves the others. Live, the
// unit is asked again in the next round, from where it was read last.
func (f *failing) ofOneUnit(err error, unit string, live bool) error {
	switch codeOf(err) {
	case codeFailed, codeUnknown:
	case codeNoMessages, codeInvalidInput, codeDenied:
		err = nil
		fallthrough
	default:
		if err == nil {
			f.row = 0
			delete(f.tries, unit)
		}
		return err
	}
	if live {
		if f.row++; f.row > inARow {
			return err
		}
		return nil
	}
	if f.tries == nil {
		f.tries = map[string]int{}
	}
	if f.tries[unit]++; f.tries[unit] < attempts {
		return err
	}
	return nil
}
