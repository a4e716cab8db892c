package trackunit

import (
	"cmp"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/iso15143"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// asset is a machine as the Assets API has it.
type asset struct {
	ID             wire.Text `json:"id"`
	Name           wire.Text `json:"name"`
	SerialNumber   wire.Text `json:"serialNumber"`
	ProductionYear wire.Text `json:"productionYear"` // of some assets, it seems
}

// idOf returns the id of a machine: Trackunit's own, or else what is engraved. Its
// equipment id is a name that the customer gave it, and may give to another.
func idOf(e iso15143.Equipment) string {
	return cmp.Or(e.Metadata.Asset(), keyOf(e.Header))
}

// keyOf returns what series are asked by.
func keyOf(h iso15143.Header) string {
	for _, key := range []wire.Text{h.PIN, h.SerialNumber, h.EquipmentID} {
		if text := key.Ptr(); text != nil {
			return *text
		}
	}
	return ""
}

// device returns the device; false where nothing identifies it.
func device(e iso15143.Equipment, assets map[string]asset) (provider.Device, bool) {
	id := idOf(e)
	if id == "" {
		return provider.Device{}, false
	}
	a, ok := assets[e.Metadata.Asset()]
	if !ok || e.Metadata.Asset() == "" {
		a = assets[e.Header.SerialNumber.String()]
	}
	return provider.Device{
		SystemDeviceID: id,
		Description:    wire.First(a.Name.Ptr(), e.Header.EquipmentID.Ptr()),
		Make:           e.Header.Make.Ptr(),
		Model:          e.Header.Model.Ptr(),
		Year:           a.ProductionYear.Int(),
		Active:         true,
	}, true
}

// place is a location as the Location API has it, a feature of GeoJSON. Where it
// has the asset's id is not documented.
type place struct {
	ID       wire.Text `json:"id"`
	AssetID  wire.Text `json:"assetId"`
	Geometry struct {
		Coordinates []float64 `json:"coordinates"` // longitude, latitude and perhaps altitude
	} `json:"geometry"`
	Properties struct {
		ID      wire.Text   `json:"id"`
		AssetID wire.Text   `json:"assetId"`
		Speed   wire.Number `json:"speed"` // km/h
		Heading wire.Number `json:"heading"`
		Updated wire.Time   `json:"updatedAt"`
	} `json:"properties"`
}

// asset returns the id of the place's asset. An id that is not called so may be
// that of the feature, which then matches no asset.
func (p place) asset() string {
	for _, id := range []wire.Text{p.AssetID, p.Properties.AssetID, p.ID, p.Properties.ID} {
		if id != "" {
			return id.String()
		}
	}
	return ""
}

// record returns the place as a position; false where it is incomplete.
func (p place) record(device string) (provider.Position, bool) {
	at := p.Geometry.Coordinates
	if len(at) < 2 {
		return provider.Position{}, false
	}
	r, ok := wire.Fix(device, p.Properties.Updated, &at[1], &at[0])
	r.Heading, r.SpeedKPH = p.Properties.Heading.Ptr(), p.Properties.Speed.Ptr()
	return r, ok
}

// positions returns the newest position of a machine. Where the two APIs tell of
// different times, each has a position of its own.
func positions(e iso15143.Equipment, places map[string]place) []provider.Position {
	id := idOf(e)
	if id == "" {
		return nil
	}
	exported, ok := e.Position(id)
	moving, more := places[e.Metadata.Asset()].record(id)
	switch {
	case ok && more && exported.Time.Equal(moving.Time.Time):
		exported.SpeedKPH, exported.Heading = moving.SpeedKPH, moving.Heading
		return []provider.Position{exported}
	case ok && more:
		return []provider.Position{exported, moving}
	case ok:
		return []provider.Position{exported}
	case more:
		return []provider.Position{moving}
	default:
		return nil
	}
}
