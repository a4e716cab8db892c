package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/drover-fleet/drover/internal/config"
)

// healthCommand asks the service on this machine how it is, for images that have no other
// program that could.
type healthCommand struct {
	Listen         string `help:"Address of the API." default:"127.0.0.1:8080" env:"DROVER_LISTEN" placeholder:"HOST:PORT"`
	OperatorListen string `help:"Operator address of the service, if it has one." env:"DROVER_OPERATOR_LISTEN" placeholder:"HOST:PORT"`
	TLSCert        string `help:"Certificate file of the service, if it serves TLS." name:"tls-cert" env:"DROVER_TLS_CERT" placeholder:"FILE"`
	Ready          bool   `help:"Check whether it is ready to serve, not only whether it runs."`
}

func (healthCommand) Help() string {
	return example("drover health", "drover health --ready --listen 127.0.0.1:9090") +
		"\n\nThe exit code is 0 where the service lives, or is ready, and 1 otherwise."
}

// Check checks the addresses. The command line calls it.
func (c *healthCommand) Check() error {
	return errors.Join(config.CheckAddress("--listen", c.Listen), config.CheckAddress("--operator-listen", c.OperatorListen))
}

// healthTimeout bounds the whole question.
const healthTimeout = 4 * time.Second

func (c *healthCommand) Run(w world) error {
	ctx, cancel := context.WithTimeout(w, healthTimeout)
	defer cancel()
	path := "/healthz"
	if c.Ready {
		path = "/readyz"
	}
	status, _, err := askService(ctx, c.Listen, c.OperatorListen, c.TLSCert, path)
	if err != nil {
		return fmt.Errorf("the service does not answer: %w", err)
	}
	if status != http.StatusOK {
		return fmt.Errorf("the service answers %d", status)
	}
	_, err = fmt.Fprintln(w.out, "ok")
	return err
}

// maxOperatorAnswer bounds what is read of an answer for operators.
const maxOperatorAnswer = 4 << 20

// askService asks the service on this machine at the address for operators.
func askService(ctx context.Context, listen, operatorListen, tlsCert, path string) (status int, text []byte, err error) {
	if operatorListen != "" {
		listen = operatorListen
	}
	if host, port, err := net.SplitHostPort(listen); err == nil && (host == "" || net.ParseIP(host).IsUnspecified()) {
		listen = net.JoinHostPort("127.0.0.1", port) // it listens at all addresses; an image may not know localhost
	}
	scheme := "http"
	if tlsCert != "" {
		scheme = "https"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+listen+path, nil)
	if err != nil {
		return 0, nil, err
	}
	// The certificate is for the name that others use, and no secret is sent.
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	text, err = io.ReadAll(io.LimitReader(answer.Body, maxOperatorAnswer))
	return answer.StatusCode, text, err
}
