package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/events/deliver/signing"
)

type webhookCommand struct {
	Listen webhookListen `cmd:"" help:"Receive deliveries on a local port, verify and print them."`
}

type webhookListen struct {
	Address    string `name:"listen" help:"Address to receive deliveries at." default:"127.0.0.1:9000" placeholder:"HOST:PORT"`
	Secret     string `help:"Secret of the webhook (whsec_…); without one, signatures are not checked." env:"DROVER_WEBHOOK_SECRET" placeholder:"SECRET"`
	SecretFile string `help:"File that holds the secret." env:"DROVER_WEBHOOK_SECRET_FILE" placeholder:"FILE"`
	Status     int    `help:"Status to answer with." default:"204" placeholder:"CODE"`
}

// Check refuses an address that none can be.
func (c *webhookListen) Check() error { return config.CheckAddress("--listen", c.Address) }

func (webhookListen) Help() string {
	return "The service must be allowed to call this machine: drover serve --allow-network 127.0.0.0/8\n\n" +
		example("drover webhook listen --secret whsec_…", "drover webhook listen --listen 0.0.0.0:9000 --status 503")
}

// maxDelivery bounds what is read of a request: deliveries hold at most 500
// positions.
const maxDelivery = 4 << 20

func (c *webhookListen) Run(w world) error {
	if c.Status < 200 || c.Status > 599 {
		return misused("--status must be between 200 and 599")
	}
	secret, err := c.secret()
	if err != nil {
		return err
	}
	if err := checkSecret(secret); err != nil {
		return usageError{err}
	}
	listener, err := (&net.ListenConfig{}).Listen(w, "tcp", c.Address)
	if err != nil {
		return app.ListenFault(c.Address, err)
	}
	if _, err := fmt.Fprintf(w.out, "listening at http://%s; Ctrl-C ends\n", listener.Addr()); err != nil {
		return err
	}
	server := &http.Server{Handler: &printer{out: w.out, secret: secret, status: c.Status}, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-w.Done()
		_ = server.Shutdown(context.WithoutCancel(w)) // it ends anyway
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// checkSecret refuses what no webhook has as its secret, with which every delivery would
// be taken for a false one.
func checkSecret(secret string) error {
	text, ok := strings.CutPrefix(secret, "whsec_")
	if _, err := base64.StdEncoding.DecodeString(text); secret != "" && (!ok || err != nil || text == "") {
		return errors.New("--secret must be whsec_ and base64, as POST /webhook returns it")
	}
	return nil
}

func (c *webhookListen) secret() (string, error) {
	switch {
	case c.SecretFile == "":
		return c.Secret, nil
	case c.Secret != "":
		return "", misused("--secret and --secret-file exclude each other")
	}
	text, err := os.ReadFile(c.SecretFile)
	if err != nil {
		return "", fmt.Errorf("read --secret-file: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// printer prints deliveries, one at a time.
type printer struct {
	secret string
	status int

	mu  sync.Mutex
	out io.Writer
}

func (p *printer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxDelivery))
	if err != nil {
		http.Error(w, "the body cannot be read", http.StatusBadRequest)
		return
	}
	verdict, status := "signature not checked", p.status
	if p.secret != "" {
		verdict = "verified"
		if err := signing.Verify(p.secret, r.Header, body, time.Now()); err != nil {
			verdict, status = "NOT VERIFIED: "+err.Error(), http.StatusUnauthorized
		}
	}
	p.print(r.Header.Get(signing.HeaderID), verdict, body)
	w.WriteHeader(status)
}

func (p *printer) print(id, verdict string, body []byte) {
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, body, "", "  "); err != nil {
		pretty.Reset()
		pretty.Write(body)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	// An error of printing has no one to report it to.
	_, _ = fmt.Fprintf(p.out, "\n%s %s\n%s\n", id, verdict, pretty.Bytes())
}
