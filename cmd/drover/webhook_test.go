package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const webhookSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// listenTo runs the command until the test ends and returns its address and what
// it prints.
func listenTo(t *testing.T, args ...string) (address string, lines func(want string) string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	printed, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		var errs bytes.Buffer
		code := run(world{ctx, strings.NewReader(""), out, &errs}, append([]string{"webhook", "listen", "--listen", "127.0.0.1:0"}, args...))
		_ = out.CloseWithError(io.EOF)
		ended <- code
	}()
	t.Cleanup(func() {
		stop()
		go func() { _, _ = io.Copy(io.Discard, printed) }()
		if code := <-ended; code != 0 {
			t.Errorf("exit code %d", code)
		}
	})
	var text string
	buffer := make([]byte, 4096)
	lines = func(want string) string {
		t.Helper()
		for !strings.Contains(text, want) {
			n, err := printed.Read(buffer)
			if err != nil {
				t.Fatalf("%v; printed %q, want %q", err, text, want)
			}
			text += string(buffer[:n])
		}
		return text
	}
	match := regexp.MustCompile(`http://\S+?;`).FindString(lines("Ctrl-C"))
	return strings.TrimSuffix(match, ";"), lines
}

// deliverTo sends a delivery that the official library has signed.
func deliverTo(t *testing.T, address, secret, body string) int {
	t.Helper()
	w, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	signature, err := w.Sign("msg", now, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Webhook-Id", "msg")
	req.Header.Set("Webhook-Timestamp", strconv.FormatInt(now.Unix(), 10))
	req.Header.Set("Webhook-Signature", signature)
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

func TestWebhookListen(t *testing.T) {
	t.Parallel()
	address, lines := listenTo(t, "--secret", webhookSecret, "--status", "202")
	sent := make(chan int, 1)
	go func() { sent <- deliverTo(t, address, webhookSecret, `{"type":"webhook.test"}`) }()
	text := lines("}\n")
	if status := <-sent; status != http.StatusAccepted || !strings.Contains(text, "msg verified\n{\n  \"type\": \"webhook.test\"\n}") {
		t.Errorf("answered %d and printed %q", status, text)
	}
	other := "whsec_" + strings.Repeat("A", 43) + "="
	go func() { sent <- deliverTo(t, address, other, `no JSON`) }()
	text = lines("no JSON\n")
	if status := <-sent; status != http.StatusUnauthorized || !strings.Contains(text, "msg NOT VERIFIED: no signature matches") {
		t.Errorf("answered %d and printed %q", status, text)
	}
}

func TestWebhookListenRefuses(t *testing.T) {
	t.Parallel()
	misuse(t, "--status must be", "", "webhook", "listen", "--status", "99")
	misuse(t, "exclude each other", "", "webhook", "listen", "--secret", "a", "--secret-file", "b")
	refuse(t, "read --secret-file", "", "webhook", "listen", "--secret-file", filepath.Join(t.TempDir(), "none"))
}
