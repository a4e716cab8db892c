package pack

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/drover-fleet/drover"
)

// Bounds of a block of batches, which keep a damaged one from asking for much memory.
const (
	MaxBatches        = 1024
	MaxBatchPositions = 1 << 17 // of all batches of a block
)

var batchMagic = [3]byte{'d', 'e', 1} // the last is the version

// ErrBrokenBatches is the error of a block of batches that cannot be read.
var ErrBrokenBatches = errors.New("broken block of events")

// Batch is the data of an event about positions, with its number in the feed.
type Batch struct {
	Sequence int64
	drover.PositionBatch
}

// batchDevice is how a batch names a device.
type batchDevice struct{ id, system string }

// EncodeBatches packs batches of one connection, in the order of their numbers: their
// devices once, and the positions of each device in columns, as those of a day are.
// Batches that have anything besides it cannot tell from them: anyone who packs them
// compares what comes out.
func EncodeBatches(batches []Batch) ([]byte, error) {
	if len(batches) == 0 || len(batches) > MaxBatches {
		return nil, fmt.Errorf("a block holds 1 to %d events, not %d", MaxBatches, len(batches))
	}
	w := writer{}
	if err := w.batches(batches); err != nil {
		return nil, err
	}
	if len(w.b) > maxRaw {
		return nil, fmt.Errorf("a block of %d events is too large", len(batches))
	}
	return seal(binary.AppendUvarint(slices.Clone(batchMagic[:]), uint64(len(w.b))), w.b), nil
}

func (w *writer) batches(batches []Batch) error {
	connection := batches[0].ConnectionID
	w.uvarint(uint64(len(batches)))
	w.text(connection)
	total, last := 0, int64(0)
	for _, b := range batches {
		if b.ConnectionID != connection {
			return errors.New("events of a block are of several connections")
		}
		if b.Sequence <= last {
			return errors.New("events of a block are not in order")
		}
		w.uvarint(uint64(b.Sequence - last))
		w.uvarint(uint64(len(b.Positions)))
		total, last = total+len(b.Positions), b.Sequence
	}
	if total == 0 || total > MaxBatchPositions {
		return fmt.Errorf("events of a block have 1 to %d positions, not %d", MaxBatchPositions, total)
	}
	rows, err := w.places(batches, total)
	if err != nil {
		return err
	}
	w.instants(rows)
	w.coordinates(rows)
	w.numbers(rows, func(p *drover.Position) *float64 { return p.Heading })
	w.numbers(rows, func(p *drover.Position) *float64 { return p.SpeedKPH })
	w.texts(total, func(i int) *string { return rows[i].DriverID })
	return nil
}

// places writes the devices and which of them each position is of, and returns the
// positions by device.
func (w *writer) places(batches []Batch, total int) ([]drover.StoredPosition, error) {
	var devices []batchDevice
	known := map[batchDevice]int{}
	place := make([]int, 0, total)
	for _, b := range batches {
		for i := range b.Positions {
			d := batchDevice{b.Positions[i].DeviceID, b.Positions[i].SystemDeviceID}
			at, there := known[d]
			if !there {
				at = len(devices)
				known[d], devices = at, append(devices, d)
			}
			place = append(place, at)
		}
	}
	w.uvarint(uint64(len(devices)))
	for _, d := range devices {
		id, err := uuid.Parse(d.id)
		if err != nil || id.String() != d.id {
			return nil, errors.New("a device id is not valid")
		}
		w.b = append(w.b, id[:]...)
	}
	for _, d := range devices {
		w.text(d.system)
	}
	next := 0
	for _, at := range place {
		w.varint(int64(at - next))
		next = at + 1
	}
	return byDevice(batches, place), nil
}

// byDevice returns positions in the order of their devices, those of one as they were.
func byDevice(batches []Batch, place []int) []drover.StoredPosition {
	order := deviceOrder(place)
	rank := make([]int, len(place))
	for i, at := range order {
		rank[at] = i
	}
	rows := make([]drover.StoredPosition, len(place))
	n := 0
	for _, b := range batches {
		for i := range b.Positions {
			p := &b.Positions[i]
			row := &rows[rank[n]]
			row.Time, row.Latitude, row.Longitude, row.Heading = p.Timestamp, p.Latitude, p.Longitude, p.Heading
			if p.Speed != nil {
				row.SpeedKPH = &p.Speed.SpeedKPH
			}
			if p.DriverID != nil {
				row.DriverID = &p.DriverID.Value
			}
			n++
		}
	}
	return rows
}

// deviceOrder lists the places of positions by their devices.
func deviceOrder(place []int) []int {
	order := make([]int, len(place))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(place[a], place[b]) })
	return order
}

// DecodeBatches unpacks a block of batches. A block that was damaged is an error.
func DecodeBatches(block []byte) ([]Batch, error) {
	if len(block) < len(batchMagic) || [3]byte(block) != batchMagic {
		return nil, fmt.Errorf("%w: unknown header", ErrBrokenBatches)
	}
	head := reader{b: block[len(batchMagic):]}
	length := head.length(maxRaw)
	if head.bad {
		return nil, fmt.Errorf("%w: its header is damaged", ErrBrokenBatches)
	}
	raw, err := unseal(block, len(block)-len(head.b), length, ErrBrokenBatches)
	if err != nil {
		return nil, err
	}
	r := reader{b: raw}
	batches := r.batches()
	if r.bad || len(r.b) != 0 {
		return nil, fmt.Errorf("%w: its columns are damaged", ErrBrokenBatches)
	}
	return batches, nil
}

func (r *reader) batches() []Batch {
	batches := make([]Batch, r.length(MaxBatches))
	connection := r.text()
	total, last := 0, int64(0)
	sizes := make([]int, len(batches))
	for i := range batches {
		step := int64(r.uvarint())
		if step <= 0 || last+step <= last {
			r.fail()
		}
		last += step
		sizes[i] = r.length(MaxBatchPositions - total)
		total += sizes[i]
		batches[i] = Batch{last, drover.PositionBatch{ConnectionID: connection}}
	}
	if r.bad || total == 0 {
		r.fail()
		return nil
	}
	devices, place := r.places(total)
	if r.bad {
		return nil
	}
	rows := make([]drover.StoredPosition, total)
	r.instants(rows)
	r.coordinates(rows)
	r.numbers(total, func(i int, v *float64) { rows[i].Heading = v })
	r.numbers(total, func(i int, v *float64) { rows[i].SpeedKPH = v })
	r.texts(total, func(i int, v *string) { rows[i].DriverID = v })
	positions := make([]drover.DevicePosition, total)
	for i, at := range deviceOrder(place) {
		d := devices[place[at]]
		positions[at] = drover.DevicePosition{DeviceID: d.id, SystemDeviceID: d.system, CurrentPosition: *rows[i].View()}
	}
	for i, n := range sizes {
		batches[i].Positions, positions = positions[:n:n], positions[n:]
	}
	return batches
}

// places reads the devices and which of them each of n positions is of.
func (r *reader) places(n int) (devices []batchDevice, place []int) {
	devices = make([]batchDevice, r.length(n))
	for i := range devices {
		if id := r.take(len(uuid.UUID{})); id != nil {
			devices[i].id = uuid.UUID(id).String()
		}
	}
	for i := range devices {
		devices[i].system = r.text()
	}
	place = make([]int, n)
	next := 0
	for i := range place {
		at := int64(next) + r.varint()
		if at < 0 || at >= int64(len(devices)) {
			r.fail()
			return nil, nil
		}
		place[i], next = int(at), int(at)+1
	}
	return devices, place
}
