package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestSandbox asks a sandbox for its devices, with the credentials that it prints.
func TestSandbox(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	printed, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		code := run(world{ctx, strings.NewReader(""), out, io.Discard},
			[]string{"sandbox", "traccar", "--listen", "127.0.0.1:0", "--vehicles", "3"})
		_ = out.Close()
		ended <- code
	}()
	text, buffer := "", make([]byte, 4096)
	for !strings.Contains(text, "Ctrl-C") {
		n, err := printed.Read(buffer)
		if err != nil {
			t.Fatalf("%v; printed %q", err, text)
		}
		text += string(buffer[:n])
	}
	match := regexp.MustCompile(`"base_url":"([^"]+)".*"token":"([^"]+)"`).FindStringSubmatch(text)
	if match == nil {
		t.Fatalf("no credentials in %s", text)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, match[1]+"/devices", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+match[2])
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK || strings.Count(string(body), `"uniqueId"`) != 3 {
		t.Errorf("status %d: %s", resp.StatusCode, body)
	}
	stop()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
	for args, want := range map[string]string{"acme": "unknown provider", "traccar --vehicles 0": "1 to 10000"} {
		var errs bytes.Buffer
		if code := run(world{t.Context(), strings.NewReader(""), io.Discard, &errs},
			append([]string{"sandbox"}, strings.Fields(args)...)); code == 0 || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit code %d, %s", args, code, errs.String())
		}
	}
}
