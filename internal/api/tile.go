package api

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/middle"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

// tileType is the media type of a Mapbox vector tile.
const tileType = "application/vnd.mapbox-vector-tile"

func (s *server) tileRoutes() []route {
	r := opFile(http.MethodGet, "/tile/{z}/{x}/{y}", s.getTile, tileType).
		named("getTile", tagDevice, "Get tile of roads",
			"Where the fleet has driven in the last five weeks, as a Mapbox vector tile with one layer, road, of lines: the tenant's own vehicles, and those that are shared with their positions. "+
				"A tile without roads is empty. A map shows zooms beyond 14 from the tiles of 14. Roads of a trip are there some seconds after its end.").
		answers("ETag", "Names the content: with it in If-None-Match the answer is 304 while nothing has changed.").
		shows(drover.ScopePositions).can(errorsOfList...)
	r.busy = true
	return []route{r}
}

// getTile sends a tile, compressed where the caller takes that.
func (s *server) getTile(c *call) (any, error) {
	var at [3]int
	for i, name := range []string{"z", "x", "y"} {
		n, err := strconv.ParseUint(c.PathValue(name), 10, 31)
		if err != nil {
			return nil, drover.Errorf(drover.KindMalformed, "No such tile: %s must be a whole number from 0", name)
		}
		at[i] = int(n)
	}
	tile, err := s.Fleet.Devices.Tile(c.Context, c.principal, at[0], at[1], at[2], func(tag string) bool {
		return guard.NamesTag(c.Header.Get("If-None-Match"), tag)
	})
	if err != nil {
		return nil, err
	}
	c.turn.Return()
	h := c.w.Header()
	h.Set("ETag", tile.Tag)
	h.Set("Cache-Control", "private, no-cache")
	if guard.NamesTag(c.Header.Get("If-None-Match"), tile.Tag) {
		c.w.WriteHeader(http.StatusNotModified)
		return streamed{}, nil
	}
	body := tile.Gzip
	h.Set("Content-Type", tileType)
	switch {
	case len(body) == 0:
	case middle.AcceptsEncoding(c.Header, "gzip"):
		h.Set("Content-Encoding", "gzip")
	default:
		if body, err = inflate(body); err != nil {
			return nil, err
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = c.w.Write(body) // the caller may have gone away
	return streamed{}, nil
}

func inflate(packed []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("open a tile: %w", err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("open a tile: %w", err)
	}
	return plain, nil
}
