package flespi

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/eclipse/paho.golang/packets"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	brokerURL = "https://mqtt.flespi.io"
	// brokerPath is where the broker of another server address is looked for.
	brokerPath = "/mqtt"
	topics     = "flespi/message/gw/devices/"

	// keepAlive is how often we show that we are there, which the broker answers, and
	// silence how long it may say nothing.
	keepAlive = 30 * time.Second
	silence   = 90 * time.Second
)

// push is flespi's broker of MQTT messages, over a websocket.
var push = &provider.Push{Poll: 5 * time.Minute, Freshness: 5 * time.Second}

var _ provider.Pusher = (*Adapter)(nil)

// Push implements provider.Pusher. Messages that come while no one listens are
// not kept by the broker: they are polled.
func (a *Adapter) Push(ctx context.Context, take func([]provider.Position) error) error {
	if a.cfg.Credentials["cid"] != "" {
		return provider.Errorf(provider.KindPermanent, "flespi's broker knows the token's own account alone")
	}
	c, err := a.dial(ctx)
	if err != nil {
		return err
	}
	var pings sync.WaitGroup
	defer pings.Wait()
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer c.socket.Close()
	if err := c.subscribe(a.cfg.Credentials["token"]); err != nil {
		return err
	}
	pings.Go(func() { c.ping(ctx) })
	for records := []provider.Position(nil); ; {
		if err := take(records); err != nil {
			return err
		}
		packet, err := c.read()
		if err != nil {
			return err
		}
		records = nil
		switch content := packet.Content.(type) {
		case *packets.Publish:
			if records, err = published(content); err != nil {
				return err
			}
		case *packets.Disconnect:
			return provider.Errorf(provider.KindTemporary, "flespi's broker has ended the push")
		}
	}
}

// published returns the position of a message, if it has one.
func published(p *packets.Publish) ([]provider.Position, error) {
	device, ok := strings.CutPrefix(p.Topic, topics)
	var m message
	if err := json.Unmarshal(p.Payload, &m); err != nil || !ok {
		return nil, provider.Errorf(provider.KindTemporary, "flespi's broker says what is not a message of a device")
	}
	return wire.Records([]message{m}, func(m message) (provider.Position, bool) { return m.record(device) }), nil
}

// dial opens the socket to the broker. Who we are is said within it.
func (a *Adapter) dial(ctx context.Context) (*broker, error) {
	address := brokerURL
	if a.cfg.BaseURL != "" {
		address = a.cfg.BaseURL + brokerPath
	}
	req, err := wire.Get(ctx, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header = http.Header{"Sec-Websocket-Protocol": {"mqtt"}}
	socket, err := a.cfg.Pushes.Socket(req, silence)
	if err != nil {
		return nil, err
	}
	return &broker{socket: socket}, nil
}
