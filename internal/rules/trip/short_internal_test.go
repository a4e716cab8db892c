package trip

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// TestShortForm holds the short form against the library's, which finds the fields by itself:
// of any bytes both read the same, and both write the same.
func TestShortForm(t *testing.T) {
	t.Parallel()
	if n := binary.Size(kept{}); n != shortBytes {
		t.Fatalf("a state has %d bytes, not %d", n, shortBytes)
	}
	r := rand.New(rand.NewPCG(25, 1))
	for range 100 {
		text := make([]byte, shortBytes)
		for i := range text {
			text[i] = byte(r.IntN(2)) // flags are 0 or 1, and numbers are numbers
		}
		var want, got kept
		if _, err := binary.Decode(text, binary.LittleEndian, &want); err != nil {
			t.Fatal(err)
		}
		read := short{b: text, read: true}
		if read.kept(&got); got != want || len(read.b) != 0 {
			t.Fatalf("%x reads as %+v, with %d bytes left; want %+v", text, got, len(read.b), want)
		}
		written, err := binary.Append(nil, binary.LittleEndian, &want)
		if err != nil {
			t.Fatal(err)
		}
		short, err := State{fold{kept: got}}.MarshalBinary()
		if err != nil || string(short[1:]) != string(written) {
			t.Fatalf("%+v is written as %x, %v; want %x", got, short[1:], err, written)
		}
	}
}
