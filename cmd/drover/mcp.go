package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type mcpCommand struct{ acting }

func (mcpCommand) Help() string {
	return "Serves the tools of a service's /mcp over standard input and output, with the login of drover login or an API key. " +
		"The tools only read: devices, positions, trips and why they are as they are, milestones, connections and what is wrong with them, deliveries.\n\n" +
		example(`drover mcp`, `claude mcp add drover -- drover mcp --url https://drover.example --api-key drv_YOUR_KEY`)
}

func (c *mcpCommand) Run(w world) error {
	service, keep, err := c.open()
	if err != nil {
		return err
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "drover mcp", Version: versionText()}, nil).Connect(w,
		&mcp.StreamableClientTransport{
			Endpoint: service.Base() + "/mcp", HTTPClient: &http.Client{Transport: service.RoundTripper()}, DisableStandaloneSSE: true,
		}, nil)
	if err != nil {
		return fmt.Errorf("connect to the service: %w", err)
	}
	defer session.Close()
	server, err := bridge(w, session)
	if err != nil {
		return err
	}
	if err := server.Run(w, answered{&mcp.IOTransport{Reader: io.NopCloser(w.in), Writer: unclosed{w.out}}}); err != nil && w.Err() == nil {
		return fmt.Errorf("serve the tools: %w", err)
	}
	return keep()
}

// bridge serves the tools of a session as its own.
func bridge(ctx context.Context, session *mcp.ClientSession) (*mcp.Server, error) {
	peer := session.InitializeResult()
	server := mcp.NewServer(peer.ServerInfo, &mcp.ServerOptions{
		Instructions: peer.Instructions, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("read the tools of the service: %w", err)
		}
		server.AddTool(tool, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return session.CallTool(ctx, &mcp.CallToolParams{Name: req.Params.Name, Arguments: req.Params.Arguments})
		})
	}
	return server, nil
}

// unclosed keeps a writer open when what writes to it ends.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }
