package pack_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/drover-fleet/drover/internal/store/pack"
)

const event = `{"connection_id":"01920000-0000-7000-8000-000000000000","positions":[{"device_id":"01920000-0000-7000-8000-000000000001","system_device_id":"17","timestamp":"2026-05-04T12:00:00Z","longitude":11.575,"latitude":48.137,"heading":90,"speed":{"speed_kph":50},"driver_id":null}]}`

func TestText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "x", event, strings.Repeat(event, 1000), string(bytes.Repeat([]byte{0, 255, 17}, 50))} {
		packed := pack.Text([]byte(text))
		got, err := pack.OpenText(packed)
		if err != nil || string(got) != text {
			t.Errorf("%.40q comes back as %.40q, %v", text, got, err)
		}
		for i := range min(len(packed), 200) {
			changed := bytes.Clone(packed)
			changed[i] ^= 1 << (i % 8)
			if got, err := pack.OpenText(changed); err == nil && string(got) != text {
				t.Errorf("%.40q with byte %d changed reads as %.40q", text, i, got)
			}
		}
	}
	if n := len(pack.Text([]byte(event))); n > len(event)*2/5 {
		t.Errorf("an event of %d bytes takes %d packed", len(event), n)
	}
}

// storedText is the event above as it was first stored: databases hold such texts.
const storedText = "28b52ffd65d112006d020002430a11b027005dcb3ea235bb3ff4b4935ee2bfd56738c6144483024885b44ae4a0405e8b2cfb6bfffb1f010c002ddb09cbd6dbb2e202b8029f61d90f5556612270235d38700f947977f0a340fd86c48a"

func TestStoredText(t *testing.T) {
	t.Parallel()
	packed, err := hex.DecodeString(storedText)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pack.OpenText(packed)
	if err != nil || string(got) != event {
		t.Errorf("it reads as %q, %v", got, err)
	}
}
