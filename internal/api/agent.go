package api

import (
	"net/http"

	"github.com/drover-fleet/drover/internal/api/mcp"
)

// agentPath is where programs that speak the Model Context Protocol call.
const agentPath = "/mcp"

// serveAgents serves the tools that read for whoever shows a token or a key.
func (s *server) serveAgents() http.Handler {
	tools := mcp.Handler(mcp.Options{Fleet: s.Fleet, Logger: s.Logger, Version: s.Version})
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if err := s.answerAgent(w, req, tools); err != nil {
			s.refuse(w, req, err)
		}
	})
}

func (s *server) answerAgent(w http.ResponseWriter, req *http.Request, tools http.Handler) error {
	bounded := &lateDeadline{Context: req.Context(), limit: requestTime}
	defer bounded.end()
	req = req.WithContext(bounded)
	// A session of the console lets nobody in here: a page cannot speak for its reader.
	req.Header.Del("Cookie")
	c := &call{Context: bounded, Request: req, w: w}
	if err := s.authenticate(c); err != nil {
		return err
	}
	place, err := hold(s.places.requests.Take(c.Context, c.principal.TenantID, 1))
	if err != nil {
		return err
	}
	defer place.Return()
	tools.ServeHTTP(w, req.WithContext(mcp.WithPrincipal(c.Context, c.principal)))
	return nil
}
