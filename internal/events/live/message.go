package live

import (
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
)

// Message is an event on its way to receivers. Its frame is made once for all of
// them.
type Message struct {
	Event drover.Event

	// screened is when it was last asked whether the receiver may read the event; zero
	// where that cannot change.
	screened time.Time

	once  sync.Once
	frame []byte
	err   error
}

func newMessage(e drover.Event) *Message { return &Message{Event: e} }

// Frame is the event in the form of server-sent events.
func (m *Message) Frame() ([]byte, error) {
	m.once.Do(func() {
		data, err := json.Marshal(m.Event)
		if err != nil {
			m.err = err
			return
		}
		b := AppendID(nil, m.Event.Sequence)
		b = append(b, "event: "...)
		b = append(b, m.Event.Type...)
		b = append(b, "\ndata: "...)
		b = append(b, data...)
		m.frame = append(b, '\n', '\n')
	})
	return m.frame, m.err
}

// AppendID appends the line by which a receiver remembers where it is.
func AppendID(b []byte, sequence int64) []byte {
	b = append(b, "id: "...)
	b = strconv.AppendInt(b, sequence, 10)
	return append(b, '\n')
}
