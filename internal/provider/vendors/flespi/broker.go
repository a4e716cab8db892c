package flespi

import (
	"bytes"
	"context"
	"time"

	"github.com/eclipse/paho.golang/packets"

	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
)

// largestPacket bounds a packet: what its length says is taken for memory.
const largestPacket = 1 << 20

// broker speaks MQTT 5 over a socket.
type broker struct {
	socket *outbound.Socket
	rest   []byte // of what was read, not yet a packet
}

func (b *broker) write(content packets.Packet, kind byte) error {
	packet := packets.NewControlPacket(kind)
	packet.Content = content
	var text bytes.Buffer
	if _, err := packet.WriteTo(&text); err != nil {
		return err
	}
	return b.socket.Send(text.Bytes())
}

// read returns the next packet. A message of the socket may hold a part of one, or
// several.
func (b *broker) read() (*packets.ControlPacket, error) {
	for {
		length, whole := packetLength(b.rest)
		if length > largestPacket {
			return nil, garbled()
		}
		if whole && len(b.rest) >= length {
			packet, err := packets.ReadPacket(bytes.NewReader(b.rest[:length]))
			if err != nil {
				return nil, garbled()
			}
			b.rest = b.rest[length:]
			return packet, nil
		}
		message, err := b.socket.Read()
		if err != nil {
			return nil, err
		}
		b.rest = append(b.rest, message...)
	}
}

func garbled() error {
	return provider.Errorf(provider.KindTemporary, "flespi's broker does not speak MQTT")
}

// packetLength returns how long the packet is that a text begins with; false where the
// text does not say yet. A length that has no end is larger than any.
func packetLength(text []byte) (length int, said bool) {
	for i, digit := 1, 0; i < len(text); i, digit = i+1, digit+7 {
		if digit > 21 {
			return largestPacket + 1, false
		}
		if length += int(text[i]&0x7f) << digit; text[i] < 0x80 {
			return length + i + 1, true
		}
	}
	return 0, false
}

// subscribe says who we are and what we want to hear.
func (b *broker) subscribe(token string) error {
	hello := &packets.Connect{
		ProtocolName: "MQTT", ProtocolVersion: 5, CleanStart: true, KeepAlive: uint16(2 * keepAlive / time.Second),
		Properties: &packets.Properties{},
		Username:   token, UsernameFlag: true,
	}
	if err := b.write(hello, packets.CONNECT); err != nil {
		return err
	}
	packet, err := b.read()
	if err != nil {
		return err
	}
	if answer, ok := packet.Content.(*packets.Connack); !ok {
		return garbled()
	} else if answer.ReasonCode >= 0x80 {
		return provider.Errorf(provider.KindPermanent, "flespi's broker does not admit the token: it lacks the right for MQTT")
	}
	if err := b.write(&packets.Subscribe{
		PacketID: 1, Properties: &packets.Properties{}, Subscriptions: []packets.SubOptions{{Topic: topics + "+"}},
	}, packets.SUBSCRIBE); err != nil {
		return err
	}
	if packet, err = b.read(); err != nil {
		return err
	}
	if answer, ok := packet.Content.(*packets.Suback); !ok {
		return garbled()
	} else if len(answer.Reasons) != 1 || answer.Reasons[0] >= 0x80 {
		return provider.Errorf(provider.KindPermanent, "flespi's broker does not let the token hear the messages of devices")
	}
	return nil
}

// ping shows that we are there until ctx ends. Where that fails, so does the reading.
func (b *broker) ping(ctx context.Context) {
	ticker := time.NewTicker(keepAlive)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if b.write(&packets.Pingreq{}, packets.PINGREQ) != nil {
				return
			}
		}
	}
}
