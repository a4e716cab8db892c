package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	// attempts is how often a call is made that may be repeated.
	attempts = 4
	// firstWait is how long is waited before the second, where the service does not
	// say; each further wait is twice as long.
	firstWait = 200 * time.Millisecond
)

// Do makes a call. Body, where it is not nil, is sent as JSON, and what the answer has
// under data is read into out, where that is not nil. It returns the answer's headers.
//
// A call is repeated where the service or the network is in trouble and that is safe:
// a POST carries an Idempotency-Key, so that it happens once.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, body, out any) (http.Header, error) {
	return c.do(ctx, method, path, query, http.Header{}, body, out)
}

func (c *Client) do(ctx context.Context, method, path string, query url.Values, header http.Header, body, out any) (http.Header, error) {
	if method == http.MethodPost && header.Get("Idempotency-Key") == "" {
		header.Set("Idempotency-Key", rand.Text())
	}
	resp, err := c.Call(ctx, method, path, query, header, body)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotModified {
		return resp.Header, ErrNotModified
	}
	return resp.Header, read(resp, out)
}

// Call makes a call and returns the answer as it is, of any status below 400. Its body
// must be closed.
func (c *Client) Call(ctx context.Context, method, path string, query url.Values, header http.Header, body any) (*http.Response, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("write the body: %w", err)
		}
	}
	address := c.base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	renewed, wait := false, firstWait
	for i := 1; ; i++ {
		token := c.Tokens()
		if token.Access != "" {
			header.Set("Authorization", "Bearer "+token.Access)
		}
		resp, err := c.send(ctx, method, address, header, text)
		if err == nil && resp.StatusCode < http.StatusBadRequest {
			return resp, nil
		}
		if err == nil {
			err = refusal(resp)
		}
		refused, _ := errors.AsType[*Error](err)
		switch {
		case refused != nil && refused.Status == http.StatusUnauthorized && token.Refresh != "" && !renewed:
			if err := c.renew(ctx, token.Access); err != nil {
				return nil, err
			}
			renewed = true
			continue
		case i == attempts || ctx.Err() != nil || !repeatable(method, header, refused):
			return nil, err
		}
		pause := wait
		if resp != nil {
			if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
				pause = time.Duration(s) * time.Second
			}
		}
		if err := c.wait(ctx, pause); err != nil {
			return nil, err
		}
		wait *= 2
	}
}

// repeatable reports whether a call that failed may be made again. Without a refusal
// the network failed.
func repeatable(method string, header http.Header, refused *Error) bool {
	if refused != nil && refused.Status != http.StatusTooManyRequests && refused.Status < http.StatusBadGateway {
		return false
	}
	return method == http.MethodGet || method == http.MethodPut || method == http.MethodDelete || header.Get("Idempotency-Key") != ""
}

func (c *Client) send(ctx context.Context, method, address string, header http.Header, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	req.Header = header.Clone()
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("call the service: %w", err)
	}
	return resp, nil
}

// maxError bounds what is read of a refusal.
const maxError = 1 << 20

// refusal reads the error of an answer, and closes it.
func refusal(resp *http.Response) error {
	defer resp.Body.Close()
	var envelope struct{ Error Error }
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxError)) // what is there says enough
	if err := json.Unmarshal(text, &envelope); err != nil || envelope.Error.Message == "" {
		envelope.Error.Message = "the service answered " + resp.Status
	}
	envelope.Error.Status = resp.StatusCode
	return &envelope.Error
}

func read(resp *http.Response, out any) error {
	if resp.StatusCode >= http.StatusBadRequest {
		return refusal(resp)
	}
	if out == nil || resp.StatusCode == http.StatusNoContent {
		return nil
	}
	envelope := struct {
		Data any `json:"data"`
	}{out}
	if err := json.NewDecoder(resp.Body).Decode(&envelope); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}
