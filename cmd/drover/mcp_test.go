package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolService serves one tool at /mcp to whoever has the key.
func toolService(t *testing.T) string {
	t.Helper()
	type input struct {
		Text string `json:"text"`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "drover", Version: "1"}, &mcp.ServerOptions{Instructions: "only read"})
	mcp.AddTool(server, &mcp.Tool{Name: "find", Description: "Finds."}, func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		return nil, map[string]string{"found": in.Text}, nil
	})
	tools := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/mcp" || r.Header.Get("Authorization") != "Bearer drv_key" {
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
		ended <- run(world{t.Context(), fromClient, toClient, &complaints}, []string{"mcp", "--url", url, "--api-key", "drv_key"})
		_ = toClient.Close()
	}()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
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

func TestMCPWithoutAccess(t *testing.T) {
	t.Parallel()
	refuse(t, "connect to the service", "", "mcp", "--url", toolService(t), "--api-key", "drv_other")
}
