package window

import (
	"net/http"

	"github.com/drover-fleet/drover/internal/provider"
)

// Gone reports whether the vendor answered 404: for vendors that are asked device
// by device, the device was removed since it was listed. It has no records then.
// A Fetch that failed for it would hold up all devices until the next listing.
func Gone(err error) bool {
	return provider.StatusOf(err) == http.StatusNotFound
}

// UnlessGone returns err, nil where it is Gone.
func UnlessGone(err error) error {
	if Gone(err) {
		return nil
	}
	return err
}
