package attack

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// serveVendor serves a vendor on an address of its own until ctx is done.
func serveVendor(ctx context.Context, handler http.HandlerFunc) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: handler} // it lives for seconds on a loopback address
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() { _ = server.Serve(l) }() // it ends with ctx
	return "http://" + l.Addr().String(), nil
}

// gigabyte is a list of devices of about that size, packed.
func gigabyte() ([]byte, error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	devices := []byte(strings.Repeat(`{"id":1,"name":"vehicle"},`, 40_000)) // a megabyte
	if _, err := io.WriteString(w, "["); err != nil {
		return nil, err
	}
	for range 1000 {
		if _, err := w.Write(devices); err != nil {
			return nil, err
		}
	}
	if _, err := io.WriteString(w, `{"id":2}]`); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// listingVendor answers as a Traccar server with so many devices does, each of which
// has just reported where it is.
func listingVendor(devices int) http.HandlerFunc {
	type record struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	list := make([]record, devices)
	for i := range list {
		list[i] = record{i + 1, fmt.Sprintf("vehicle %d", i+1)}
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // it is of texts and numbers
	}
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/devices"):
			_, _ = w.Write(text) // the service may have gone
		case strings.HasSuffix(r.URL.Path, "/positions") && devices <= 100:
			var now []string
			for _, d := range list {
				now = append(now, fmt.Sprintf(`{"deviceId":%d,"fixTime":%q,"valid":true,"latitude":48.1,"longitude":11.5,"speed":0}`, d.ID,
					time.Now().UTC().Format(time.RFC3339)))
			}
			_, _ = fmt.Fprintf(w, "[%s]", strings.Join(now, ","))
		default:
			_, _ = io.WriteString(w, "[]")
		}
	}
}
