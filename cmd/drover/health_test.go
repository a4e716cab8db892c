package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	handler := http.NewServeMux()
	handler.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	handler.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	address := strings.TrimPrefix(plain.URL, "http://")
	for _, args := range [][]string{
		{"--listen", address},
		{"--operator-listen", address},
		{"--listen", "0.0.0.0" + address[strings.LastIndex(address, ":"):]},
		{"--listen", strings.TrimPrefix(secure.URL, "https://"), "--tls-cert", "cert.pem"},
	} {
		if out := succeed(t, "", append([]string{"health"}, args...)...); out != "ok\n" {
			t.Errorf("drover health %q prints %q", args, out)
		}
	}
	refuse(t, "the service answers 503", "", "health", "--ready", "--listen", address)
	refuse(t, "the service does not answer", "", "health", "--listen", freeAddress(t))
	misuse(t, "--listen must be HOST:PORT", "", "health", "--listen", "8080")
}
