package pack

import (
	"encoding/binary"
	"hash/crc32"
)

// Sign puts the right checksum under a block, so that a fuzzer gets past it.
func Sign(block []byte) []byte {
	if len(block) < crcLen {
		return block
	}
	body := append([]byte{}, block[:len(block)-crcLen]...)
	return binary.LittleEndian.AppendUint32(body, crc32.Checksum(body, table))
}
