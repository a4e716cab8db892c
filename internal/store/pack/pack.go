// Package pack keeps a device's settled positions in few bytes: a block holds the
// positions of a day, or of a part of it, in columns of differences, compressed.
//
// What comes out is what went in, to the last bit of every number. docs/blocks.md
// has the format; a reader of it needs neither this package nor the database.
package pack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/drover-fleet/drover"
)

// MaxRows is the largest number of positions of one block. A day with more has
// several.
const MaxRows = 8192

const (
	version = 1
	// maxRaw bounds the columns of a block before they are compressed. Texts are
	// what can be long: a driver's id has at most some hundred bytes.
	maxRaw = 16 << 20
	crcLen = 4
)

var (
	magic = [2]byte{'d', 'p'}
	table = crc32.MakeTable(crc32.Castagnoli)
)

// ErrBroken is the error of a block that cannot be read.
var ErrBroken = errors.New("broken block of positions")

// Header is what can be known of a block without unpacking it.
type Header struct {
	Rows        int
	First, Last drover.Time
	// The box that holds all positions.
	South, West, North, East float64
	raw                      int
	length                   int
}

// zstd's encoder and decoder have buffers of some hundred kilobytes, so they are
// made when the first block is.
var (
	encoder = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression),
			zstd.WithWindowSize(256<<10), zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true), zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(err) // the options are constants
		}
		return e
	})
	decoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxRaw))
		if err != nil {
			panic(err)
		}
		return d
	})
)

// Encode packs positions, which are in the order of their times, no two of one
// time. There is at least one and at most MaxRows.
func Encode(rows []drover.StoredPosition) ([]byte, error) {
	if len(rows) == 0 || len(rows) > MaxRows {
		return nil, fmt.Errorf("a block holds 1 to %d positions, not %d", MaxRows, len(rows))
	}
	for i := 1; i < len(rows); i++ {
		if !rows[i-1].Time.Before(rows[i].Time.Time) {
			return nil, errors.New("positions of a block are not in order")
		}
	}
	raw := writer{}
	raw.rows(rows)
	if len(raw.b) > maxRaw {
		return nil, fmt.Errorf("a block of %d positions is too large", len(rows))
	}
	return seal(header(rows, len(raw.b)), raw.b), nil
}

// seal appends the columns of a block to its header, compressed, and the checksum of both.
func seal(header, raw []byte) []byte {
	out := encoder().EncodeAll(raw, header)
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, table))
}

// unseal returns the columns of a block, which follow its header.
func unseal(block []byte, header, raw int, broken error) ([]byte, error) {
	end := len(block) - crcLen
	if end < header || crc32.Checksum(block[:end], table) != binary.LittleEndian.Uint32(block[end:]) {
		return nil, fmt.Errorf("%w: its checksum is wrong", broken)
	}
	columns, err := decoder().DecodeAll(block[header:end], make([]byte, 0, raw))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", broken, err)
	}
	if len(columns) != raw {
		return nil, fmt.Errorf("%w: its length is wrong", broken)
	}
	return columns, nil
}

func header(rows []drover.StoredPosition, raw int) []byte {
	first, last := rows[0].Time.UnixMilli(), rows[len(rows)-1].Time.UnixMilli()
	south, west, north, east := rows[0].Latitude, rows[0].Longitude, rows[0].Latitude, rows[0].Longitude
	for i := range rows {
		south, north = min(south, rows[i].Latitude), max(north, rows[i].Latitude)
		west, east = min(west, rows[i].Longitude), max(east, rows[i].Longitude)
	}
	out := append(make([]byte, 0, 64+len(rows)*4), magic[0], magic[1], version)
	out = binary.AppendUvarint(out, uint64(len(rows)))
	out = binary.AppendVarint(out, first)
	out = binary.AppendUvarint(out, uint64(last-first))
	for _, f := range []float64{south, west, north, east} {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(f))
	}
	return binary.AppendUvarint(out, uint64(raw))
}

// ReadHeader reads what can be known without unpacking. The checksum is not looked
// at.
func ReadHeader(block []byte) (Header, error) {
	if len(block) < len(magic)+1 || [2]byte(block) != magic {
		return Header{}, fmt.Errorf("%w: unknown header", ErrBroken)
	}
	if block[2] != version {
		return Header{}, fmt.Errorf("%w: unknown version %d", ErrBroken, block[2])
	}
	r := reader{b: block[3:]}
	h := Header{Rows: r.length(MaxRows)}
	first := r.varint()
	last := first + int64(r.uvarint())
	h.First, h.Last = drover.Milli(first), drover.Milli(last)
	for _, f := range []*float64{&h.South, &h.West, &h.North, &h.East} {
		*f = math.Float64frombits(r.fixed())
	}
	h.raw = r.length(maxRaw)
	h.length = len(block) - len(r.b)
	if r.bad || h.Rows == 0 || last < first {
		return Header{}, fmt.Errorf("%w: its header is damaged", ErrBroken)
	}
	return h, nil
}

// Decode unpacks a block. A block that was damaged is an error.
func Decode(block []byte) ([]drover.StoredPosition, error) { return DecodeInto(nil, block) }

// DecodeInto is Decode into the room of rows that are no longer needed.
func DecodeInto(rows []drover.StoredPosition, block []byte) ([]drover.StoredPosition, error) {
	h, err := ReadHeader(block)
	if err != nil {
		return nil, err
	}
	raw, err := unseal(block, h.length, h.raw, ErrBroken)
	if err != nil {
		return nil, err
	}
	r := reader{b: raw}
	rows = r.rows(rows, h.Rows, h.First.UnixMilli())
	if r.bad || len(r.b) != 0 || rows[len(rows)-1].Time.UnixMilli() != h.Last.UnixMilli() {
		return nil, fmt.Errorf("%w: its columns are damaged", ErrBroken)
	}
	return rows, nil
}
