package pack

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// words is what the data of events have in common, so that a short text finds its own
// words in it. It is a part of the stored form: a change of it needs a number of its
// own, and this one stays for what was packed with it.
const (
	wordsID = 0xd1
	words   = `{"id":"019","tenant_id":"019","business_name":"","integration_name":"","active":true,"active":false,"collection_start_time":"2026-","collection_end_time":null,"configuration":{"health":"healthy","trips":"native","trips":"derived","poll_interval_seconds":30},"created_at":"2026-","updated_at":"2026-","tags":[],"connection_tags":[]}` +
		`{"milestone":{"id":"019","device_id":"019","description":null,"start_time":"2026-","end_time":"2026-","start_latitude":,"start_longitude":,"end_latitude":,"end_longitude":,"webhook_url":null,"webhook_enabled":false,"status":"trip_not_started","status":"trip_in_progress","status":"trip_ended","eta":"2026-","distance_to_destination_km":,"last_updated_at":"2026-"}}` +
		`{"id":"019","connection_id":"019","device_id":"019","system_trip_id":"","start_position":{"latitude":,"longitude":},"end_position":{"latitude":,"longitude":},"start_time":"2026-","end_time":"2026-","distance_metres":,"duration_seconds":,"driving_seconds":,"idling_seconds":,"auxiliary_seconds":null,"is_valid":true,"validation_comments":null}` +
		`{"id":"019","connection_id":"019","system_device_id":"","description":"","registration":"","vin":null,"make":null,"model":null,"year":null,"active":true,"tags":[]}` +
		`{"device_id":"019","connection_id":"019","state":"driving","state":"idling","state":"stopped","state":"silent","state_since":"2026-","previous_state":"driving","previous_state":"stopped"}` +
		`{"connection_id":"019","positions":[{"device_id":"019","system_device_id":"","timestamp":"2026-01-01T00:00:00Z","longitude":10.0,"latitude":50.0,"heading":null,"speed":null,"driver_id":null},` +
		`{"device_id":"019","system_device_id":"","timestamp":"2026-01-01T00:00:00Z","longitude":-100.0,"latitude":-30.0,"heading":180,"speed":{"speed_kph":0},"driver_id":{"format":"text","value":""}}]}`
)

var (
	textEncoder = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(128<<10),
			zstd.WithEncoderDictRaw(wordsID, []byte(words)), zstd.WithSingleSegment(true), zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(err) // the options are constants
		}
		return e
	})
	textDecoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxRaw),
			zstd.WithDecoderDictRaw(wordsID, []byte(words)))
		if err != nil {
			panic(err)
		}
		return d
	})
)

// Text packs the data of an event.
func Text(text []byte) []byte {
	return textEncoder().EncodeAll(text, make([]byte, 0, len(text)/4))
}

// OpenText unpacks what Text has packed. A text that was damaged is an error: it has a
// checksum.
func OpenText(packed []byte) ([]byte, error) {
	text, err := textDecoder().DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("broken packed text: %w", err)
	}
	return text, nil
}
