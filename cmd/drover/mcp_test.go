package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolService serves one tool at /mcp to anyone who has the key.
func toolService(t *testing.T) string {
	t.Helper()
	type input struct {
		Text string `json:"text"`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "drover", Version: "1"}, &mcp.ServerOptions{Instructions: "only read"})
	mcp.AddTool(server, &mcp.Tool{Name: "find", Description: "Finds."},
		func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
			return nil, map[string]string{"found": in.Text}, nil
		})
	tools := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/mcp" || r.Header.Get("Authorization") != "Bearer drv_key" ||
			r.Header.Get("X-Drover-Tenant") != "7" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		tools.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestMCPPassesToolsOn(t *testing.T) {
	t.Parallel()
	url := toolService(t)
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	var complaints bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(world{t.Context(), fromClient, toClient, &complaints}, []string{"mcp", "--url", url, "--api-key", "drv_key", "--tenant", "7"})
		_ = toClient.Close()
	}()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := session.InitializeResult().Instructions; got != "only read" {
		t.Errorf("the instructions are %q", got)
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "find", Arguments: map[string]string{"text": "AB12"}})
	if err != nil {
		t.Fatal(err)
	}
	if text, ok := result.Content[0].(*mcp.TextContent); !ok || text.Text != `{"found":"AB12"}` {
		t.Errorf("answered %+v", result.Content[0])
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d: %s", code, &complaints)
	}
}

// TestMCPAnswersWhatWasRead pipes calls in and ends the input at once, as a shell does.
func TestMCPAnswersWhatWasRead(t *testing.T) {
	t.Parallel()
	in := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":"three","method":"tools/call","params":{"name":"find","arguments":{"text":"AB12"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"nothing"}`,
	}, "\n") + "\n"
	var out, complaints bytes.Buffer
	if code := run(world{t.Context(), strings.NewReader(in), &out, &complaints},
		[]string{"mcp", "--url", toolService(t), "--api-key", "drv_key", "--tenant", "7"}); code != 0 {
		t.Fatalf("exit code %d: %s", code, &complaints)
	}
	got := map[string]string{}
	for line := range strings.Lines(out.String()) {
		var answer struct {
			ID json.RawMessage `json:"id"`
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		got[string(answer.ID)] = line
	}
	for id, part := range map[string]string{"1": "only read", "2": `"name":"find"`, `"three"`: "AB12", "4": `"error"`} {
		if !strings.Contains(got[id], part) {
			t.Errorf("the answer to %s is %q, without %s", id, got[id], part)
		}
	}
}

// TestMCPEndsWithoutAnAnswer holds that a call that is never answered does not keep the
// process once someone ends it.
func TestMCPEndsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	inner, _ := mcp.NewInMemoryTransports()
	conn, err := answered{inner}.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	waiting := conn.(*answeredConn)
	id, err := jsonrpc.MakeID("1")
	if err != nil {
		t.Fatal(err)
	}
	waiting.open[id] = struct{}{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		waiting.settle(t.Context())
	}()
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	<-ended
}

func TestMCPWithoutAccess(t *testing.T) {
	t.Parallel()
	refuse(t, "connect to the service", "", "mcp", "--url", toolService(t), "--api-key", "drv_other")
}
