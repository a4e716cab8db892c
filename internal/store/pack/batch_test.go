package pack_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/pack"
)

// reports are what a connection reports: devices that come and go, some positions late.
func reports(r *rand.Rand, events, devices int) []pack.Batch {
	connection := randomID(r)
	ids := make([]string, devices)
	for i := range ids {
		ids[i] = randomID(r)
	}
	batches := make([]pack.Batch, events)
	sequence := r.Int64N(1 << 40)
	for i := range batches {
		sequence += 1 + r.Int64N(50)
		batches[i] = pack.Batch{Sequence: sequence, PositionBatch: drover.PositionBatch{
			ConnectionID: connection,
			Positions:    []drover.DevicePosition{},
		}}
		for d, id := range ids {
			if i > 0 && r.IntN(3) == 0 {
				continue
			}
			at := noon.Add(time.Duration(i)*time.Minute - time.Duration(r.Int64N(1<<r.IntN(20)))*time.Millisecond)
			p := drover.Position{Time: drover.At(at), Latitude: float64(r.IntN(1e7)) / 1e5, Longitude: r.NormFloat64()}
			if r.IntN(2) == 0 {
				p.Heading, p.SpeedKPH = new(float64(r.IntN(360))), new(r.Float64()*100)
			}
			if r.IntN(3) == 0 {
				p.DriverID = new(fmt.Sprint("Jürgen <", r.IntN(3), ">"))
			}
			batches[i].Positions = append(batches[i].Positions,
				drover.DevicePosition{DeviceID: id, SystemDeviceID: fmt.Sprint("v", d), CurrentPosition: *p.View()})
		}
	}
	return batches
}

func randomID(r *rand.Rand) string {
	var id uuid.UUID
	for i := range id {
		id[i] = byte(r.Uint32())
	}
	return id.String()
}

func TestBatches(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		in := reports(r, 1+r.IntN(30), 1+r.IntN(30))
		block, err := pack.EncodeBatches(in)
		if err != nil {
			t.Fatal(err)
		}
		out, err := pack.DecodeBatches(block)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if diff := cmp.Diff(in, out, sameBits); diff != "" {
			t.Fatalf("seed %d (-in +out):\n%s", seed, diff)
		}
		for i := range in {
			was, is := marshal(t, in[i]), marshal(t, out[i])
			if !bytes.Equal(was, is) {
				t.Fatalf("seed %d: event %d is %s, want %s", seed, i, is, was)
			}
		}
	}
}

func marshal(t *testing.T, b pack.Batch) []byte {
	t.Helper()
	text, err := json.Marshal(b.PositionBatch)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestBatchesAreSmall packs an hour of a hundred vehicles: most of what an event says was
// in the one before.
func TestBatchesAreSmall(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 4))
	in := reports(r, 60, 100)
	n := 0
	for i := range in {
		for j := range in[i].Positions {
			p := &in[i].Positions[j]
			p.Timestamp = drover.At(noon.Add(time.Duration(i) * time.Minute))
			p.Latitude, p.Longitude = float64(4_800_000+j*1000+i)/1e5, float64(1100+j)/100
			p.Heading, p.Speed, p.DriverID = new(float64(90+i%3)), &drover.Speed{SpeedKPH: float64(50 + i%7)}, nil
			n++
		}
	}
	block, err := pack.EncodeBatches(in)
	if err != nil {
		t.Fatal(err)
	}
	if each := float64(len(block)) / float64(n); each > 5 {
		t.Errorf("a position takes %.1f bytes", each)
	}
}

func TestEncodeBatchesRefuses(t *testing.T) {
	t.Parallel()
	change := func(f func(b []pack.Batch)) []pack.Batch {
		b := reports(rand.New(rand.NewPCG(7, 7)), 3, 2)
		f(b)
		return b
	}
	for name, batches := range map[string][]pack.Batch{
		"None":             {},
		"TooMany":          make([]pack.Batch, pack.MaxBatches+1),
		"NoPositions":      change(func(b []pack.Batch) { b[0].Positions, b[1].Positions, b[2].Positions = nil, nil, nil }),
		"OtherConnection":  change(func(b []pack.Batch) { b[1].ConnectionID = "other" }),
		"Disorder":         change(func(b []pack.Batch) { b[2].Sequence = b[1].Sequence }),
		"NoID":             change(func(b []pack.Batch) { b[0].Positions[0].DeviceID = "17" }),
		"OtherFormOfAnID":  change(func(b []pack.Batch) { b[0].Positions[0].DeviceID = "{" + b[0].Positions[0].DeviceID + "}" }),
		"TooManyPositions": change(func(b []pack.Batch) { b[0].Positions = make([]drover.DevicePosition, pack.MaxBatchPositions) }),
	} {
		if _, err := pack.EncodeBatches(batches); err == nil {
			t.Errorf("%s: is packed", name)
		}
	}
}

// TestDamagedBatches changes each byte of a block, and cuts it at each: all of it is found.
func TestDamagedBatches(t *testing.T) {
	t.Parallel()
	block, err := pack.EncodeBatches(reports(rand.New(rand.NewPCG(2, 2)), 4, 5))
	if err != nil {
		t.Fatal(err)
	}
	for i := range block {
		changed := bytes.Clone(block)
		changed[i] ^= 1 << (i % 8)
		if _, err := pack.DecodeBatches(changed); !errors.Is(err, pack.ErrBrokenBatches) {
			t.Errorf("byte %d changed: %v", i, err)
		}
		if _, err := pack.DecodeBatches(block[:i]); !errors.Is(err, pack.ErrBrokenBatches) {
			t.Errorf("cut at %d: %v", i, err)
		}
	}
}

// FuzzDecodeBatches gives it anything: an error or batches that pack to something that
// reads the same, never a panic.
func FuzzDecodeBatches(f *testing.F) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 5))
		block, err := pack.EncodeBatches(reports(r, 1+r.IntN(5), 1+r.IntN(5)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(block)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		batches, err := pack.DecodeBatches(pack.Sign(text))
		if err != nil {
			if !errors.Is(err, pack.ErrBrokenBatches) {
				t.Fatalf("%v is not ErrBrokenBatches", err)
			}
			return
		}
		block, err := pack.EncodeBatches(batches)
		if err != nil {
			t.Fatal(err)
		}
		again, err := pack.DecodeBatches(block)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(batches, again, sameBits); diff != "" {
			t.Errorf("(-first +again):\n%s", diff)
		}
	})
}

// storedBatches is the first version of the form, as docs/blocks.md has it.
const storedBatches = "6465019d0128b52ffd209ded030042071b24a0290103bc26aad66d54252b5d1fb245f5c0f68f8b89d640d89f8a24616d2a9af4a7ef7df77f3fd7107aada8c557d786efff96a4c898" +
	"218a04104a2088b116c07102f6e1f22c4c20aa60e2e48830717ac04551f6e3f2b9cc1b3a61db8be735d9d376f7b5dddd01c16d93010500335bc0b5d2bd25f34108650e0faaf9db"

// TestStoredBatches reads a block that was written by the first version of this code: what
// databases hold must be readable for ever.
func TestStoredBatches(t *testing.T) {
	t.Parallel()
	first, second := drover.Position{Time: drover.At(noon), Latitude: 48.1371, Longitude: 11.5754, SpeedKPH: new(0.0)},
		drover.Position{
			Time: drover.At(noon.Add(30 * time.Second)), Latitude: 48.1372, Longitude: math.Pi, Heading: new(270.0),
			SpeedKPH: new(31.5), DriverID: new("D-17"),
		}
	const connection, device, other = "01920000-0000-7000-8000-000000000000", "01920000-0000-7000-8000-000000000001",
		"01920000-0000-7000-8000-000000000002"
	want := []pack.Batch{
		{Sequence: 17, PositionBatch: drover.PositionBatch{ConnectionID: connection, Positions: []drover.DevicePosition{
			{DeviceID: device, SystemDeviceID: "17", CurrentPosition: *first.View()},
			{DeviceID: other, SystemDeviceID: "18", CurrentPosition: *first.View()},
		}}},
		{Sequence: 21, PositionBatch: drover.PositionBatch{
			ConnectionID: connection,
			Positions:    []drover.DevicePosition{{DeviceID: device, SystemDeviceID: "17", CurrentPosition: *second.View()}},
		}},
	}
	block, err := hex.DecodeString(storedBatches)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pack.DecodeBatches(block)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
