package outbound_test

import (
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/drover-fleet/drover/internal/outbound"
)

// tripper answers requests from a func.
type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// answer makes a response; headers are names and values in turn.
func answer(status int, body string, headers ...string) *http.Response {
	h := http.Header{}
	for i := 0; i < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

const vendorURL = "https://vendor.example.com/v1/vehicles"

func TestStatusMapping(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name    string
		status  int
		headers []string
		kind    outbound.Kind
		until   time.Duration // after now; -1 where the vendor does not say
		text    string
	}{
		{"400", 400, nil, outbound.KindPermanent, -1, "the provider answered 400"},
		{"401", 401, nil, outbound.KindCredentials, -1, "the provider refused the credentials"},
		{"403", 403, nil, outbound.KindPermanent, -1, "the provider does not permit this call (403)"},
		{"404", 404, nil, outbound.KindPermanent, -1, "the provider answered 404"},
		{"408", 408, nil, outbound.KindTemporary, -1, "the provider answered 408"},
		{"425", 425, nil, outbound.KindTemporary, -1, "the provider answered 425"},
		{"429", 429, nil, outbound.KindRateLimited, -1, "the provider asks for fewer calls (429)"},
		{
			"429 seconds", 429,
			[]string{"Retry-After", "90"},
			outbound.KindRateLimited, 90 * time.Second,
			"the provider asks for fewer calls (429)",
		},
		{
			"429 reset", 429,
			[]string{"X-Rate-Limit-Reset", "30"},
			outbound.KindRateLimited, 30 * time.Second,
			"the provider asks for fewer calls (429)",
		},
		{
			"429 epoch", 429,
			[]string{"RateLimit-Reset", fmt.Sprint(now.Unix() + 40)},
			outbound.KindRateLimited, 40 * time.Second,
			"the provider asks for fewer calls (429)",
		},
		{
			"429 epoch ms", 429,
			[]string{"X-RateLimit-Reset", fmt.Sprint(now.UnixMilli() + 1500)},
			outbound.KindRateLimited,
			1500 * time.Millisecond, "the provider asks for fewer calls (429)",
		},
		{"500", 500, nil, outbound.KindTemporary, -1, "the provider answered 500"},
		{"503", 503, nil, outbound.KindTemporary, -1, "the provider answered 503"},
		{
			"429 seconds by another name", 429,
			[]string{"X-RateLimit-Retry-After-Seconds", "2.5"},
			outbound.KindRateLimited,
			2500 * time.Millisecond, "the provider asks for fewer calls (429)",
		},
		{
			"429 epoch by another name", 429,
			[]string{"X-RateLimit-Retry-At", fmt.Sprint(now.Unix() + 50)},
			outbound.KindRateLimited,
			50 * time.Second, "the provider asks for fewer calls (429)",
		},
		{
			"429 wait before reset", 429,
			[]string{"X-RateLimit-Reset", "900", "X-RateLimit-Retry-After-Seconds", "7"},
			outbound.KindRateLimited,
			7 * time.Second, "the provider asks for fewer calls (429)",
		},
		{"501", 501, nil, outbound.KindPermanent, -1, "the provider does not offer this call (501)"},
		{"503 reset", 503, []string{"X-RateLimit-Reset", "60"}, outbound.KindTemporary, -1, "the provider answered 503"},
		{
			"503 epoch by another name", 503,
			[]string{"X-RateLimit-Retry-At", fmt.Sprint(now.Unix() + 60)},
			outbound.KindRateLimited, time.Minute,
			"the provider asks for fewer calls (503)",
		},
		{"503 seconds", 503, []string{"Retry-After", "60"}, outbound.KindRateLimited, time.Minute, "the provider asks for fewer calls (503)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := outbound.New(outbound.Options{
				Transport: tripper(func(*http.Request) (*http.Response, error) {
					return answer(tt.status, `{"error":"code 7"}`, tt.headers...), nil
				}),
				Now:      func() time.Time { return now },
				Attempts: 1,
			})
			_, err := c.Do(newRequest(t, "GET", vendorURL, nil)) //nolint:bodyclose // no response
			if err == nil {
				t.Fatal("no error")
			}
			if got := outbound.KindOf(err); got != tt.kind {
				t.Errorf("kind is %s, want %s", got, tt.kind)
			}
			if err.Error() != tt.text {
				t.Errorf("text is %q, want %q", err, tt.text)
			}
			var want time.Time
			if tt.until >= 0 {
				want = now.Add(tt.until)
			}
			if got := outbound.RetryAt(err); got.Sub(want).Abs() > time.Millisecond {
				t.Errorf("until is %s, want %s", got, want)
			}
			status, ok := errors.AsType[*outbound.StatusError](err)
			if !ok || status.Status != tt.status || status.Body != `{"error":"code 7"}` {
				t.Errorf("status error is %+v", status)
			}
		})
	}
}

func TestNetworkFailuresAreTemporaryInWords(t *testing.T) {
	t.Parallel()
	for want, cause := range map[string]error{
		"the provider's name could not be resolved":            &net.DNSError{Err: "no such host", Name: "vendor"},
		"the provider does not accept connections":             &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED},
		"there is no route to the provider":                    &net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH},
		"the provider closed the connection without an answer": io.ErrUnexpectedEOF,
		"the provider did not answer in time":                  &net.OpError{Op: "dial", Err: syscall.ETIMEDOUT},
		"the provider could not be reached":                    errors.New("malformed response hunter2"),
	} {
		c := outbound.New(outbound.Options{
			Transport: tripper(func(*http.Request) (*http.Response, error) { return nil, cause }),
			Now:       time.Now,
			Attempts:  1,
		})
		_, err := c.Do(newRequest(t, "GET", vendorURL, nil)) //nolint:bodyclose // no response
		if err == nil || err.Error() != want || outbound.KindOf(err) != outbound.KindTemporary {
			t.Errorf("got %v (%s), want %s", err, outbound.KindOf(err), want)
		}
	}
}

func TestBadTargetIsPermanent(t *testing.T) {
	t.Parallel()
	c := outbound.New(outbound.Options{Transport: tripper(nil), Now: time.Now})
	for _, target := range []string{"vendor.example.com/x", "ftp://vendor.example.com", "https:///x"} {
		_, err := c.Do(newRequest(t, "GET", target, nil)) //nolint:bodyclose // no response
		if outbound.KindOf(err) != outbound.KindPermanent {
			t.Errorf("%s: got %v, want a permanent error", target, err)
		}
	}
}

func TestAttemptTimesOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := outbound.New(outbound.Options{
			Transport: tripper(func(req *http.Request) (*http.Response, error) {
				<-req.Context().Done()
				return nil, req.Context().Err()
			}),
			Now:      time.Now,
			Attempts: 1,
		})
		start := time.Now()
		_, err := c.Do(newRequest(t, "GET", vendorURL, nil)) //nolint:bodyclose // no response
		if outbound.KindOf(err) != outbound.KindTemporary || err.Error() != "the provider did not answer within 30 s" {
			t.Errorf("got %v", err)
		}
		if outbound.Canceled(err) {
			t.Error("an attempt's timeout looks like the caller's own")
		}
		if took := time.Since(start); took != 30*time.Second {
			t.Errorf("took %s, want 30s", took)
		}
	})
}

// blockingBody gives nothing until its context ends.
type blockingBody struct{ ctx context.Context }

func (b blockingBody) Read([]byte) (int, error) {
	<-b.ctx.Done()
	return 0, b.ctx.Err()
}

func (blockingBody) Close() error { return nil }

func TestTimeoutCoversTheBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := outbound.New(outbound.Options{
			Transport: tripper(func(req *http.Request) (*http.Response, error) {
				resp := answer(200, "")
				resp.Body = blockingBody{req.Context()}
				return resp, nil
			}),
			Now:     time.Now,
			Timeout: 1500 * time.Millisecond,
		})
		resp, err := c.Do(newRequest(t, "GET", vendorURL, nil))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		_, err = io.ReadAll(resp.Body)
		if outbound.KindOf(err) != outbound.KindTemporary || err.Error() != "the provider did not answer within 1.5s" {
			t.Errorf("got %v", err)
		}
	})
}

func TestBodyIsBounded(t *testing.T) {
	t.Parallel()
	for size, fits := range map[int]bool{0: true, 9: true, 10: true, 11: false, 5000: false} {
		for name, reader := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytewise": iotest.OneByteReader,
		} {
			c := outbound.New(outbound.Options{
				Transport: tripper(func(*http.Request) (*http.Response, error) {
					resp := answer(200, "")
					resp.Body = io.NopCloser(reader(strings.NewReader(strings.Repeat("x", size))))
					return resp, nil
				}),
				Now:     time.Now,
				MaxBody: 10,
			})
			resp, err := c.Do(newRequest(t, "GET", vendorURL, nil))
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if fits && (err != nil || len(data) != size) {
				t.Errorf("%s %d: got %d bytes, %v", name, size, len(data), err)
			}
			if !fits && (outbound.KindOf(err) != outbound.KindTemporary || err == nil ||
				err.Error() != "the provider's answer is larger than 10 bytes" || len(data) > 10) {
				t.Errorf("%s %d: got %d bytes, %v", name, size, len(data), err)
			}
		}
	}
}

// vendor serves one handler over real connections.
func vendor(t *testing.T, h http.HandlerFunc) (*outbound.Client, string) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return outbound.New(outbound.Options{
		Transport: newTransport(t, "127.0.0.0/8"),
		Now:       time.Now,
		UserAgent: "drover/1.2.3",
		MaxBody:   1 << 20,
	}), srv.URL
}

func TestCutBodyIsTemporary(t *testing.T) {
	t.Parallel()
	c, base := vendor(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"vehicles":[`)
	})
	err := outbound.JSON(t.Context(), c, newRequest(t, "GET", base, nil), &struct{}{})
	if err == nil || err.Error() != "the provider's answer was cut short" || outbound.KindOf(err) != outbound.KindTemporary {
		t.Errorf("got %v", err)
	}
}

func TestGzipIsDecodedAndBounded(t *testing.T) {
	t.Parallel()
	c, base := vendor(t, func(w http.ResponseWriter, r *http.Request) {
		size := 1 << 10
		if r.URL.Path == "/bomb" {
			size = 8 << 20
		}
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		_, _ = io.WriteString(zip, `"`+strings.Repeat("x", size)+`"`)
		_ = zip.Close()
	})
	var text string
	if err := outbound.JSON(t.Context(), c, newRequest(t, "GET", base, nil), &text); err != nil || len(text) != 1<<10 {
		t.Errorf("got %d bytes, %v", len(text), err)
	}
	err := outbound.JSON(t.Context(), c, newRequest(t, "GET", base+"/bomb", nil), &text)
	if err == nil || err.Error() != "the provider's answer is larger than 1 MiB" {
		t.Errorf("got %v", err)
	}
}

func TestUserAgent(t *testing.T) {
	t.Parallel()
	c, base := vendor(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "%q", r.UserAgent())
	})
	req := newRequest(t, "GET", base, nil)
	var got string
	if err := outbound.JSON(t.Context(), c, req, &got); err != nil || got != "drover/1.2.3" {
		t.Errorf("sent %q, %v", got, err)
	}
	if req.Header.Get("User-Agent") != "" {
		t.Error("the caller's request was altered")
	}
	req.Header.Set("User-Agent", "own")
	if err := outbound.JSON(t.Context(), c, req, &got); err != nil || got != "own" {
		t.Errorf("sent %q, %v", got, err)
	}
}

// texts returns what err and everything it wraps say.
func texts(err error) string {
	var all strings.Builder
	for ; err != nil; err = errors.Unwrap(err) {
		fmt.Fprintf(&all, "%v %+v %#v\n", err, err, err)
	}
	return all.String()
}

func TestSecretsStayOutOfErrors(t *testing.T) {
	t.Parallel()
	const secret, session = `p&ss/w"rd+ü=1?`, "session-4711-abc"
	forms := []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), strings.ToLower(url.QueryEscape(secret)),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
		url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(secret))),
		`p\u0026ss\/w\"rd+ü=1?`, `p&amp;ss/w&#34;rd+ü=1?`, session,
	}
	echoes := slices.Clone(forms)
	// As part of Basic credentials a secret stands at any offset; what must not
	// be seen is then the middle, which is the secret's alone.
	middles := []string{"session-"}
	for _, user := range []string{"a:", "ab:", "abc:"} {
		basic := base64.StdEncoding.EncodeToString([]byte(user + secret + "\n"))
		echoes = append(echoes, basic)
		middles = append(middles, basic[8:16])
	}
	echo := strings.Join(echoes, " | ")
	failures := map[string]tripper{
		"status":  func(*http.Request) (*http.Response, error) { return answer(400, echo), nil },
		"refused": func(*http.Request) (*http.Response, error) { return answer(401, echo), nil },
		"limited": func(*http.Request) (*http.Response, error) { return answer(429, echo, "Retry-After", echo), nil },
		"outage":  func(*http.Request) (*http.Response, error) { return answer(502, echo), nil },
		"at the excerpt's end": func(*http.Request) (*http.Response, error) {
			return answer(500, strings.Repeat(".", 2040)+session+secret), nil
		},
		"network": func(req *http.Request) (*http.Response, error) {
			return nil, &url.Error{Op: "Get", URL: req.URL.String(), Err: errors.New(echo)}
		},
		"not JSON": func(*http.Request) (*http.Response, error) { return answer(200, echo), nil },
		"other JSON": func(*http.Request) (*http.Response, error) {
			return answer(200, fmt.Sprintf(`{"n":%q}`, session)), nil
		},
		"redirect": func(*http.Request) (*http.Response, error) {
			return answer(302, echo, "Location", "https://x/?k="+session), nil
		},
		"cut": func(*http.Request) (*http.Response, error) {
			resp := answer(200, "")
			resp.Body = io.NopCloser(iotest.ErrReader(errors.New(echo)))
			return resp, nil
		},
	}
	for name, rt := range failures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := outbound.New(outbound.Options{Transport: rt, Now: time.Now, Secrets: []string{"", secret}, Attempts: 1})
			req := newRequest(t, "GET", vendorURL+"?api_key="+url.QueryEscape(secret), nil)
			req.Header.Set("Authorization", "Bearer "+session)
			err := outbound.JSON(t.Context(), c, req, &struct{ N int }{})
			if err == nil {
				t.Fatal("no error")
			}
			said := texts(err)
			if status, ok := errors.AsType[*outbound.StatusError](err); ok {
				said += status.Body
			}
			for _, f := range slices.Concat(middles, forms) {
				if strings.Contains(said, f) {
					t.Errorf("%s is in %s", f, said)
				}
			}
		})
	}
}

func TestExcerptIsShort(t *testing.T) {
	t.Parallel()
	c := outbound.New(outbound.Options{
		Transport: tripper(func(*http.Request) (*http.Response, error) { return answer(400, strings.Repeat("é", 5000)), nil }),
		Now:       time.Now,
	})
	_, err := c.Do(newRequest(t, "GET", vendorURL, nil)) //nolint:bodyclose // no response
	status, ok := errors.AsType[*outbound.StatusError](err)
	if !ok || len(status.Body) != 2048 {
		t.Errorf("the excerpt has %d bytes, want 2048", len(status.Body))
	}
}

func TestNewNeedsTransportAndNow(t *testing.T) {
	t.Parallel()
	for _, opts := range []outbound.Options{{Now: time.Now}, {Transport: tripper(nil)}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			outbound.New(opts)
		}()
	}
}
