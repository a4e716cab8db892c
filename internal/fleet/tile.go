package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/road"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

const (
	// tilesKept is the number of tiles that a process keeps.
	tilesKept = 256
	// tileSquares bounds what a tile is made of: of more, the oldest weeks are left out.
	tileSquares = 4096
	// tileForm is a part of each tag. It grows with each change of how tiles are made.
	tileForm = "1"
)

// Tile is a tile of a map with the roads that a fleet has driven.
type Tile struct {
	// Tag is another one for each content: of what roads it is made.
	Tag string
	// Gzip is a Mapbox vector tile; empty where no one has driven, or where the caller
	// has the tile already.
	Gzip []byte
}

// tiles are those that were made. They are known by their tags, and a tag is made of what
// the caller may see at that moment: a share that has ended, a connection that is erased
// and a week that is forgotten lead to another tag, in every process.
type tiles struct{ *lru.Cache[string, []byte] }

func newTiles() tiles {
	kept, err := lru.New[string, []byte](tilesKept)
	if err != nil {
		panic(err) // the size is a constant
	}
	return tiles{kept}
}

// Tile makes a tile of the roads that the caller may see, or finds it among those that were
// made. Known says whether the caller has the one with a tag.
func (s Devices) Tile(ctx context.Context, p drover.Principal, z, x, y int, known func(tag string) bool) (Tile, error) {
	t, err := road.NewTile(z, x, y)
	if err != nil {
		return Tile{}, drover.Errorf(drover.KindMalformed, "No such tile: %s", err)
	}
	first, last := t.Squares()
	within := store.RoadRange{First: int64(first), Last: int64(last), Since: history.FirstRoadWeek(s.clock()), Limit: tileSquares}
	sum := newTileSum(z, x, y)
	err = s.store.Trips.EachRoad(ctx, p.TenantID, within, false, func(r store.Road) error {
		sum.add(r)
		return nil
	})
	if err != nil {
		return Tile{}, err
	}
	tag := sum.tag()
	if known(tag) {
		return Tile{Tag: tag}, nil
	}
	if kept, ok := s.tiles.Get(tag); ok {
		return Tile{tag, kept}, nil
	}
	// What is read now may be newer than what was looked at, so the tag is made again.
	sum = newTileSum(z, x, y)
	err = s.store.Trips.EachRoad(ctx, p.TenantID, within, true, func(r store.Road) error {
		sum.add(r)
		return t.Add(road.Quad(r.Square), r.Cells)
	})
	if err != nil {
		return Tile{}, err
	}
	made := Tile{Tag: sum.tag()}
	if made.Gzip, err = t.Encode(); err != nil {
		return Tile{}, err
	}
	s.tiles.Add(made.Tag, made.Gzip)
	return made, nil
}

// tileSum becomes the tag of a tile.
type tileSum struct{ hash.Hash }

func newTileSum(z, x, y int) tileSum {
	sum := tileSum{sha256.New()}
	_, _ = fmt.Fprintln(sum, tileForm, z, x, y) // a hash takes everything
	return sum
}

func (s tileSum) add(r store.Road) { _, _ = fmt.Fprintln(s, r.Week, r.Square, r.ConnectionID, r.Sum) }

func (s tileSum) tag() string { return `W/"` + hex.EncodeToString(s.Sum(nil)[:16]) + `"` }
