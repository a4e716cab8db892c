package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/cavaliergopher/cpio"
)

// The tags of an .rpm that are looked at, and its flags of files.
const (
	rpmPostIn, rpmPreUn, rpmPostUn           = 1024, 1025, 1026
	rpmModes, rpmFlags                       = 1030, 1037
	rpmDirIndexes, rpmBaseNames, rpmDirNames = 1116, 1117, 1118
	rpmCompressor                            = 1125
	rpmConfig, rpmNoReplace                  = 1, 16
)

// rpmHeader reads a header of an .rpm: the values of each tag as text, and what follows.
func rpmHeader(t *testing.T, b []byte) (tags map[uint32][]string, rest []byte) {
	t.Helper()
	if len(b) < 16 || !bytes.HasPrefix(b, []byte{0x8e, 0xad, 0xe8, 1}) {
		t.Fatal("there is no header")
	}
	number := binary.BigEndian.Uint32
	store := 16 + 16*number(b[8:])
	end := store + number(b[12:])
	tags = map[uint32][]string{}
	for index := b[16:store]; len(index) > 0; index = index[16:] {
		tag, kind, value := number(index), number(index[4:]), b[store+number(index[8:]):end]
		for range number(index[12:]) {
			text := ""
			switch kind {
			case 3:
				text, value = strconv.Itoa(int(binary.BigEndian.Uint16(value))), value[2:]
			case 4:
				text, value = strconv.Itoa(int(number(value))), value[4:]
			case 6, 8, 9:
				before, after, _ := bytes.Cut(value, []byte{0})
				text, value = string(before), after
			default:
				continue
			}
			tags[tag] = append(tags[tag], text)
		}
	}
	return tags, b[end:]
}

// checkRpm looks at the files of a package, at its scripts, and at what is in its payload.
func checkRpm(t *testing.T, packed []byte) {
	t.Helper()
	const lead = 96
	_, rest := rpmHeader(t, packed[lead:])
	signature := len(packed) - lead - len(rest)
	tags, payload := rpmHeader(t, rest[(8-signature%8)%8:])
	found := map[string]string{}
	for i, name := range tags[rpmBaseNames] {
		folder, err := strconv.Atoi(tags[rpmDirIndexes][i])
		must(t, err)
		mode, err := strconv.Atoi(tags[rpmModes][i])
		must(t, err)
		found[tags[rpmDirNames][folder]+name] = fmt.Sprintf("%o flags %s", mode&0o777, tags[rpmFlags][i])
	}
	for name, want := range map[string]string{
		"/usr/bin/drover": "755 flags 0", "/usr/lib/systemd/system/drover.service": "644 flags 0",
		"/etc/drover/drover.env":          fmt.Sprintf("600 flags %d", rpmConfig|rpmNoReplace),
		"/usr/share/doc/drover/copyright": "644 flags 0", "/usr/share/doc/drover/THIRD-PARTY-LICENCES.txt": "644 flags 0",
	} {
		if found[name] != want {
			t.Errorf("of the package %s is %q, want %q", name, found[name], want)
		}
	}
	for _, script := range []uint32{rpmPostIn, rpmPreUn, rpmPostUn} {
		if text := strings.Join(tags[script], ""); !strings.HasPrefix(text, "#!/bin/sh\n") || strings.Contains(text, "rm -r") {
			t.Errorf("the script %d is %q", script, text)
		}
	}
	if kind := strings.Join(tags[rpmCompressor], ""); kind != "gzip" {
		t.Fatalf("the payload is packed by %q", kind)
	}
	checkPayload(t, payload, found)
}

// checkPayload wants each file that the header names to be there, and the program to be one.
func checkPayload(t *testing.T, payload []byte, named map[string]string) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(payload))
	must(t, err)
	files := 0
	for archive := cpio.NewReader(z); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		content, err := io.ReadAll(archive)
		must(t, err)
		name := path.Join("/", h.Name)
		if files++; named[name] == "" || len(content) == 0 || name == "/usr/bin/drover" && !bytes.HasPrefix(content, []byte("\x7fELF")) {
			t.Errorf("the payload has %s of %d bytes", name, len(content))
		}
	}
	if files != len(named) {
		t.Errorf("the payload has %d files, the header %d", files, len(named))
	}
}
