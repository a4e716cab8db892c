package main

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

type connectionAuthorize struct{ connectionID }

func (connectionAuthorize) Help() string {
	return example("drover connection authorize 0197a3c4-7d5e-7b1a-9c2d-3e4f5a6b7c8d") +
		"\n\nPrints the address where a person agrees, and reads the address that the browser is then sent to, or the code in it, from standard input."
}

func (c *connectionAuthorize) Run(w world) error {
	return c.find(w, func(a *app.App, conn drover.Connection) error {
		providers, err := providersWith(w, c.ProviderDir)
		if err != nil {
			return err
		}
		info := providers[conn.IntegrationName]
		if info.OAuth == nil {
			return fmt.Errorf("%s needs no consent, only credentials", info.Title)
		}
		credentials, err := a.Fleet.Connections.Credentials(asking(w, "connection.credentials.read", "connection", conn.ID), operator(conn.TenantID), conn.ID)
		if err != nil {
			return err
		}
		state := rand.Text()
		fmt.Fprintf(w.err, "Have the owner of the vehicles open this address in a browser, and agree:\n\n")
		fmt.Fprintf(w.out, "%s\n", info.OAuth.ConsentURL(credentials.Credentials, state))
		fmt.Fprintf(w.err, "\nThe browser is then sent to %s.\nPaste that whole address here, or the code in it: ",
			credentials.Credentials[provider.RedirectField])
		code, err := readCode(w.in, state)
		if err != nil {
			return err
		}
		if err := a.Collector.Authorize(w, conn.TenantID, conn.ID, code); err != nil {
			return fmt.Errorf("%s: %w", advice(conn, err), err)
		}
		err = operate(w, a.Store, action{conn.TenantID, "connection.authorize", "connection", conn.ID}, func(*store.Tx) error { return nil })
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.out, "%s accepts the consent; it is kept with the credentials of %s\n", info.Title, conn.BusinessName)
		return err
	})
}

// maxCode bounds what is read of standard input.
const maxCode = 16 << 10

// readCode reads a code, or the address that a browser was sent to with one. An
// address with another state is of another consent, which no one here asked for.
func readCode(in io.Reader, state string) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(in, maxCode)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the code: %w", err)
	}
	line = strings.TrimSpace(line)
	if _, query, found := strings.Cut(line, "?"); found {
		values, err := url.ParseQuery(query)
		switch {
		case err != nil:
			return "", errors.New("the address cannot be read")
		case values.Get("error") != "":
			return "", errors.New("the owner did not agree")
		case values.Get("state") != state:
			return "", errors.New("the address belongs to another consent: start again")
		}
		line = values.Get("code")
	}
	if line == "" {
		return "", errors.New("no code on standard input")
	}
	return line, nil
}
