package attack

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// Work that one request, or many cheap ones, makes the service do.

// agentArrays sends many calls of tools as one message.
func (g *siege) agentArrays(ctx context.Context) error {
	const one = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_devices","arguments":{}}}`
	body := "[" + strings.Repeat(one+",", 2999) + one + "]"
	g.again(ctx, 8, http.MethodPost, "/mcp", func(int) string { return body })
	return nil
}

// silentTrials tries credentials at a host that accepts and says nothing.
func (g *siege) silentTrials(ctx context.Context) error {
	url, err := listen(ctx, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	if err != nil {
		return err
	}
	body := fmt.Sprintf(`{"integration_name":"traccar","credentials":{"base_url":%q,"token":"t"}}`, url)
	g.again(ctx, 80, http.MethodPost, "/connection/test", func(int) string { return body })
	return nil
}

// takenNames makes users of one name, each with a password to hash.
func (g *siege) takenNames(ctx context.Context) error {
	const body = `{"username":"taken","email":"taken@mail.example","password":"grey-owl-17","role":"viewer"}`
	if err := g.must(ctx, http.MethodPost, "/user", body); err != nil {
		return err
	}
	g.again(ctx, 32, http.MethodPost, "/user", func(int) string { return body })
	return nil
}

// manyExports asks for as many files as it may.
func (g *siege) manyExports(ctx context.Context) error {
	g.again(ctx, 8, http.MethodPost, "/export", func(int) string { return `{"kind":"position","format":"csv","filters":{}}` })
	return nil
}

// refusedChanges asks for what is another tenant's: each refusal is written down.
func (g *siege) refusedChanges(ctx context.Context) error {
	path := "/device/" + g.World.Devices[0].ID
	g.again(ctx, 16, http.MethodPatch, path, func(n int) string { return fmt.Sprintf(`{"description":"%d"}`, n) })
	return nil
}

// guesses tries passwords of users, known and unknown.
func (g *siege) guesses(ctx context.Context) error {
	g.again(ctx, 32, http.MethodPost, "/token", func(n int) string { return fmt.Sprintf(`{"username":"user%d","password":"guess"}`, n%1000) })
	return nil
}
