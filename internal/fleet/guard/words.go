package guard

import (
	"errors"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// The interface's words for what does not exist. Its two spellings of milestone
// are both meant.
const (
	UnknownConnection      = "Connection with ID %s not found"
	UnknownDevice          = "Device with ID %s not found"
	UnknownDriver          = "Driver with ID %s not found"
	UnknownTrip            = "Trip with ID %s not found"
	UnknownSafetyEvent     = "Safety event with ID %s not found"
	UnknownNote            = "Note with ID %s not found"
	UnknownFault           = "Fault with ID %s not found"
	UnknownMilestone       = "Unknown milestone id %s"
	UnknownMilestoneUpdate = "Unknown Milestone id %s"
	UnknownWebhook         = "Unknown webhook id %s"
	UnknownJob             = "Backfill job with ID %s not found"
	UnknownShare           = "Share with ID %s not found"
	UnknownUser            = "User with ID %s not found"
	UnknownAPIKey          = "API key with ID %s not found"
	UnknownDelivery        = "Delivery with ID %s not found"
	UnknownLink            = "Link with ID %s not found"
	UnknownSession         = "Session with ID %s not found"
	UnknownPasskey         = "Passkey with ID %s not found"
	UnknownRecompute       = "Recompute job with ID %s not found"
	UnknownExport          = "Export with ID %s not found"
	UnknownTenant          = "Tenant with ID %s not found"
	UnknownErasure         = "Erasure with ID %s not found"
	UnknownOperatorKey     = "Operator key with ID %s not found"
)

// OrNotFound gives the absence of a record the words of its resource.
func OrNotFound(err error, format string, id string) error {
	if errors.Is(err, store.ErrNotFound) {
		return drover.Errorf(drover.KindNotFound, format, id)
	}
	return err
}

// OrUnknown gives the absence of a record that a body names the words of its resource.
func OrUnknown(err error, format, id, field string) error {
	if errors.Is(err, store.ErrNotFound) {
		return drover.InvalidValue(fmt.Sprintf(format, id), "body", field)
	}
	return err
}

// AsInvalid is the absence of a record that a list in a body names.
func AsInvalid(err error, format, id string, index int) error {
	if errors.Is(err, store.ErrNotFound) {
		return drover.InvalidValue(fmt.Sprintf(format, id), "body", "device_ids", index)
	}
	return err
}
