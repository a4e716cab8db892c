package api

import (
	"net/http"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
)

// versions are the dates of the interface, oldest first. The first is the one
// that applies without a header.
var versions = []string{"2024-03-26"}

const (
	versionHeader = "X-Api-Version"
	versionField  = "x-api-version" // as errors name it
)

// applyVersion finds the version that a request asks for and names it in the
// answer: the newest one that is not later than the date given.
func applyVersion(w http.ResponseWriter, r *http.Request) error {
	if _, sent := r.Header[versionHeader]; !sent {
		w.Header()[versionHeader] = versions[:1:1]
		return nil
	}
	date, err := time.Parse(time.DateOnly, r.Header.Get(versionHeader))
	if err != nil {
		w.Header().Set(versionHeader, versions[0])
		return drover.Invalid("date_parsing", "Input should be a valid date in the format YYYY-MM-DD", "header", versionField)
	}
	i, exact := slices.BinarySearch(versions, date.Format(time.DateOnly))
	if !exact {
		i--
	}
	if i < 0 {
		w.Header().Set(versionHeader, versions[0])
		return drover.InvalidValue("the first version is "+versions[0], "header", versionField)
	}
	w.Header().Set(versionHeader, versions[i])
	return nil
}
