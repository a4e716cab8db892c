package flespitest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/coder/websocket"
	"github.com/eclipse/paho.golang/packets"

	"github.com/drover-fleet/drover/internal/sim"
)

// Reasons of MQTT 5.
const (
	notAuthorized = 0x87
	granted       = 0x00
)

// broker serves the messages of devices as they come, by MQTT over a websocket. The
// token is the name of the user.
func (s *server) broker(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"mqtt"}})
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	if conn.Subprotocol() != "mqtt" {
		return
	}
	ctx := r.Context()
	_ = s.talk(ctx, websocket.NetConn(ctx, conn, websocket.MessageBinary)) // it ends with the customer
}

func (s *server) talk(ctx context.Context, conn io.ReadWriter) error {
	packet, err := packets.ReadPacket(conn)
	if err != nil {
		return err
	}
	hello, ok := packet.Content.(*packets.Connect)
	if !ok || !s.account.Accepts("token", hello.Username) {
		return say(conn, packets.CONNACK, &packets.Connack{ReasonCode: notAuthorized, Properties: &packets.Properties{}})
	}
	if err := say(conn, packets.CONNACK, &packets.Connack{Properties: &packets.Properties{}}); err != nil {
		return err
	}
	if packet, err = packets.ReadPacket(conn); err != nil {
		return err
	}
	asked, ok := packet.Content.(*packets.Subscribe)
	if !ok || len(asked.Subscriptions) != 1 || asked.Subscriptions[0].Topic != "flespi/message/gw/devices/+" {
		return nil
	}
	if err := say(conn, packets.SUBACK, &packets.Suback{
		PacketID: asked.PacketID, Reasons: []byte{granted},
		Properties: &packets.Properties{},
	}); err != nil {
		return err
	}
	go func() { // the customer shows that it is there
		for {
			if _, err := packets.ReadPacket(conn); err != nil {
				return
			}
		}
	}()
	return s.account.Follow(ctx, sim.Listener{
		Send: func(v sim.Vehicle, p sim.Sample) error {
			text, err := json.Marshal(message(v, p))
			if err != nil {
				return err
			}
			return say(conn, packets.PUBLISH, &packets.Publish{
				Topic: "flespi/message/gw/devices/" + v.ID, Payload: text,
				Properties: &packets.Properties{},
			})
		},
		Idle: func() error { return say(conn, packets.PINGRESP, &packets.Pingresp{}) },
		Garbage: func() error {
			return say(conn, packets.PUBLISH, &packets.Publish{
				Topic: "flespi/message/gw/devices/1", Payload: []byte("<html>"),
				Properties: &packets.Properties{},
			})
		},
	})
}

func say(conn io.Writer, kind byte, content packets.Packet) error {
	packet := packets.NewControlPacket(kind)
	packet.Content = content
	_, err := packet.WriteTo(conn)
	return err
}
