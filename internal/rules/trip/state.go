package trip

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// stateVersion changes with the rule or with the shape of the state.
const stateVersion = 6

// ErrVersion is the error for a stored state that another version of the rule
// made. The device's trips are then derived again from its first position.
var ErrVersion = errors.New("the trip state is of another version")

type versioned struct {
	Version int `json:"version"`
	kept
}

// MarshalJSON writes the state with its version.
func (s State) MarshalJSON() ([]byte, error) {
	return json.Marshal(versioned{Version: stateVersion, kept: s.f.kept})
}

// UnmarshalJSON reads a state of this version; any other is ErrVersion.
func (s *State) UnmarshalJSON(b []byte) error {
	var v versioned
	if err := json.Unmarshal(b, &v); err != nil {
		return fmt.Errorf("read the trip state: %w", err)
	}
	if v.Version != stateVersion {
		return fmt.Errorf("%w: %d", ErrVersion, v.Version)
	}
	s.f.kept = v.kept
	return nil
}

// AppendBinary appends the state in its short form: a byte for the version and
// fixed fields. It is the one for storing: JSON, for people, takes many times as
// long, and the state is read and written with every batch of positions.
func (s State) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, stateVersion)
	n := len(b)
	b = slices.Grow(b, shortBytes)[:n+shortBytes]
	w := short{b: b[n:]}
	w.kept(&s.f.kept)
	return b, nil
}

// MarshalBinary returns the short form.
func (s State) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary reads the short form of this version; any other is ErrVersion.
// Nothing at all is the state of a device without positions.
func (s *State) UnmarshalBinary(b []byte) error {
	if len(b) == 0 {
		s.f.kept = kept{}
		return nil
	}
	if b[0] != stateVersion {
		return fmt.Errorf("%w: %d", ErrVersion, b[0])
	}
	if len(b)-1 != shortBytes {
		return fmt.Errorf("read the trip state: %d bytes, not %d", len(b)-1, shortBytes)
	}
	r := short{b: b[1:], read: true}
	r.kept(&s.f.kept)
	return nil
}
