package rfms

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/drover-fleet/drover/internal/provider"
)

// Version is one that makers serve, in one spelling of its Accept header.
type Version struct {
	Name   string
	Accept func(resource string) string
}

// Versions are those that are tried, the newest first. Makers of 2.1 differ in whether
// resources are written with a capital letter; some know no header but that of JSON, and
// serve what they have.
var Versions = []Version{
	{"4.0", AcceptV4},
	{"2.1", AcceptV21},
	{"2.1", func(resource string) string { return AcceptV21(capital(resource)) }},
	{"2.1 XML", acceptXML},
	{"any", func(string) string { return "application/json" }},
}

func capital(resource string) string { return strings.ToUpper(resource[:1]) + resource[1:] }

// accept returns the Accept header of the maker's version. Where it is not known yet, the
// vehicles are asked for in one version after the other: reports may be missing for other
// reasons.
func (c *Client) accept(ctx context.Context) (func(resource string) string, error) {
	if c.opts.Accept != nil {
		return c.opts.Accept, nil
	}
	if c.version != nil {
		return c.version.Accept, nil
	}
	var refusal error
	for i := range Versions {
		err := c.getAs(ctx, Versions[i].Accept(vehicles), vehicles, nil, &answer{})
		switch {
		case err == nil:
			c.version = &Versions[i]
			if c.opts.Found != nil {
				c.opts.Found(c.version.Name)
			}
			return c.version.Accept, nil
		case !unserved(err):
			return nil, err
		case refusal == nil:
			refusal = err
		}
	}
	return nil, refusal
}

// unserved reports whether a maker does not have what it was asked for in that version.
func unserved(err error) bool {
	return slices.Contains([]int{http.StatusNotFound, http.StatusNotAcceptable, http.StatusUnsupportedMediaType}, provider.StatusOf(err))
}
