package api

import (
	"bytes"
	"io"
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/mcp"
	"github.com/drover-fleet/drover/internal/api/middle"
)

// agentPath is where programs that speak the Model Context Protocol call.
const agentPath = "/mcp"

// serveAgents serves the tools that read for anyone who shows a token or a key.
func (s *server) serveAgents() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if err := s.answerAgent(w, req, s.offered().tools()); err != nil {
			s.refuse(w, req, err)
		}
	})
}

func (s *server) answerAgent(w http.ResponseWriter, req *http.Request, tools http.Handler) error {
	bounded := &lateDeadline{Context: req.Context(), limit: requestTime}
	defer bounded.end()
	req = req.WithContext(bounded)
	// A session of the console lets no one in here: a page cannot speak for its reader.
	req.Header.Del("Cookie")
	c := &call{Context: bounded, Request: req, w: w}
	if err := s.authenticate(c); err != nil {
		return err
	}
	if !c.principal.Can(drover.PermissionRead) {
		return drover.Requires(drover.PermissionRead)
	}
	memory, err := s.take(c, bodySize(req))
	if err != nil {
		return err
	}
	defer memory.Return()
	if c.raw, err = middle.ReadBody(req); err != nil {
		return err
	}
	// An array would be many requests at the price of one.
	if bytes.HasPrefix(bytes.TrimLeft(c.raw, " \t\r\n"), []byte("[")) {
		return drover.Errorf(drover.KindMalformed, "A request has one message, not an array of them")
	}
	place, err := hold(s.places.requests.Take(c.Context, c.principal.TenantID, 1))
	if err != nil {
		return err
	}
	defer place.Return()
	return s.useTool(c, tools)
}

// useTool has a tool answer, at its turn at a processor, and sends what it answered.
func (s *server) useTool(c *call, tools http.Handler) error {
	turn, err := hold(s.places.work.Take(c.Context, c.holder(), 1))
	if err != nil {
		return err
	}
	defer turn.Return()
	req := c.WithContext(mcp.WithPrincipal(c.Context, c.principal))
	req.Body = io.NopCloser(bytes.NewReader(c.raw))
	out := &keptAnswer{ResponseWriter: c.w, status: http.StatusOK}
	tools.ServeHTTP(out, req)
	memory, err := s.take(c, int64(out.body.Len()))
	if err != nil {
		return err
	}
	defer memory.Return()
	turn.Return()
	c.w.Header()["Cache-Control"] = []string{"no-store"} // the tools say something else
	c.w.WriteHeader(out.status)
	_, _ = c.w.Write(out.body.Bytes()) // the caller may have gone away
	return nil
}

// keptAnswer keeps an answer until it is sent.
type keptAnswer struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader implements http.ResponseWriter.
func (k *keptAnswer) WriteHeader(status int) { k.status = status }

func (k *keptAnswer) Write(b []byte) (int, error) { return k.body.Write(b) }
