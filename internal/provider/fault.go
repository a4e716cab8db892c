package provider

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/fault"
)

// FaultReport is what a vendor says of the faults of one of its devices.
type FaultReport struct {
	SystemDeviceID string
	fault.Report
}

// FaultReader is a Provider whose vendor reports faults by a call of its own. It goes with
// Info.Faults.
type FaultReader interface {
	Provider

	// Faults returns one page of reports, with the rules of live positions: what is new
	// since the cursor, or since Query.From. The same report may come again. Where the
	// account may not read faults, it returns the vendor's refusal.
	Faults(ctx context.Context, q Query) (Page[FaultReport], error)
}

// Besides is something that a vendor reports besides devices, positions and trips.
type Besides struct {
	// Every is how often it is asked for; zero where it comes with positions.
	Every time.Duration
	// Names are what the vendor calls it.
	Names []string
	// Need is what an account lacks that may not read it.
	Need string
}

// Asked reports whether it takes calls of its own.
func (b *Besides) Asked() bool { return b != nil && b.Every > 0 }

// SeverityOf is the severity that a vendor's word names; nil where it is another one.
func SeverityOf(word string) *drover.FaultSeverity {
	severity := drover.FaultSeverity(strings.ToLower(strings.TrimSpace(word)))
	if !slices.Contains(drover.FaultSeverities, severity) {
		return nil
	}
	return &severity
}

// obdCode is how a code of OBD is written.
var obdCode = regexp.MustCompile(`^[PCBU][0-9A-F]{4}$`)

// CodeOf is a code with its protocol, where its form says it.
func CodeOf(code string) (drover.FaultProtocol, string) {
	if upper := strings.ToUpper(code); obdCode.MatchString(upper) {
		return drover.FaultOBD, upper
	}
	return drover.FaultUnknown, code
}

// ListedCodes reads a text of codes, parted by blanks, commas or semicolons. One without any is
// an empty list; a number alone is a count, which does not say of which codes, and nil. Whether
// such a text comes again once all codes are gone is up to the tracker: a long silence ends
// them, too.
func ListedCodes(text string) *fault.Report {
	r, counts := &fault.Report{Form: fault.Listed, Fades: true}, false
	for _, code := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" ,;\t\r\n", c) }) {
		if _, err := strconv.ParseFloat(code, 64); err == nil {
			counts = true
			continue
		}
		var said fault.Said
		said.Protocol, said.Code = CodeOf(code)
		r.Faults = append(r.Faults, said)
	}
	if counts && len(r.Faults) == 0 {
		return nil
	}
	return r
}
