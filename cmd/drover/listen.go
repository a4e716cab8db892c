package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/client"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/events/deliver"
	"github.com/drover-fleet/drover/internal/events/deliver/signing"
)

type listenCommand struct {
	acting
	Forward string   `help:"Address to send each event to." required:"" placeholder:"URL"`
	Type    []string `help:"Only events of this type; repeatable." placeholder:"TYPE"`
	Secret  string   `help:"Secret to sign with (whsec_…); by default a new one is created and printed." env:"DROVER_WEBHOOK_SECRET" placeholder:"SECRET"`
	After   int64    `help:"Start after this sequence; default now." default:"-1" placeholder:"N"`
}

// Check refuses an address without a scheme, and what is no secret.
func (c *listenCommand) Check() error {
	return errors.Join(c.remote.Check(), config.CheckURL("--forward", c.Forward), checkSecret(c.Secret))
}

// listenPatience is how long an answer is waited for.
const listenPatience = 15 * time.Second

func (listenCommand) Help() string {
	return "Follows the live stream and posts each event as a webhook would receive it, so that a receiver can be tried on a laptop.\n\n" +
		example("drover listen --forward http://localhost:3000/hook --type trip.completed")
}

func (c *listenCommand) Run(w world) error {
	service, keep, err := c.open()
	if err != nil {
		return err
	}
	if c.Secret == "" {
		if c.Secret, err = signing.NewSecret(rand.Reader); err != nil {
			return err
		}
		fmt.Fprintln(w.out, "signing with", c.Secret)
	}
	var query client.GetStreamQuery
	for _, typ := range c.Type {
		query.Type = append(query.Type, client.EventType(typ))
	}
	for e, err := range service.GetStream(w, c.After, query) {
		if w.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(w.out, "%d %s: %s\n", e.Sequence, e.Type, c.forward(w, e))
	}
	return keep()
}

// forward sends an event and says what came of it.
func (c *listenCommand) forward(w world, e client.Event) string {
	body, err := json.Marshal(map[string]any{"type": e.Type, "timestamp": drover.At(e.Timestamp), "sequence": e.Sequence, "data": e.Data})
	if err != nil {
		return err.Error()
	}
	req, err := http.NewRequestWithContext(w, http.MethodPost, c.Forward, bytes.NewReader(body))
	if err != nil {
		return err.Error()
	}
	if err := signing.Sign(req.Header, e.ID, time.Now(), body, c.Secret); err != nil {
		return err.Error()
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Client{Timeout: listenPatience}).Do(req)
	if wait, ok := errors.AsType[net.Error](err); ok && wait.Timeout() {
		return fmt.Sprintf("no answer within %s", listenPatience)
	}
	if err != nil {
		return deliver.Failure(err)
	}
	_ = resp.Body.Close() // the status is all that counts
	return resp.Status
}
