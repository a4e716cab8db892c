package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

const (
	// excerptSize is how much of a refusing answer an adapter gets to see.
	excerptSize = 2 << 10
	// excerptRead is how much of it is read: more, so that a secret which the
	// excerpt's end would cut in two is recognised first.
	excerptRead = 64 << 10
)

// worded is an error with a text of its own that says all a user should read; the
// cause is for errors.Is and errors.As.
type worded struct {
	text  string
	cause error
}

func (w worded) Error() string { return w.text }

func (w worded) Unwrap() error { return w.cause }

func failure(kind Kind, cause error, format string, args ...any) *Error {
	return &Error{Kind: kind, Err: worded{fmt.Sprintf(format, args...), cause}}
}

// statusError turns an answer of 400 or above into an error.
func (c *Client) statusError(req *http.Request, resp *http.Response) error {
	status := resp.StatusCode
	cause := &StatusError{Status: status, Body: c.excerpt(req, resp.Body)}
	if err := req.Context().Err(); err != nil {
		return err
	}
	switch {
	case status == http.StatusUnauthorized:
		return failure(KindCredentials, cause, "the provider refused the credentials")
	case status == http.StatusForbidden:
		return failure(KindPermanent, cause, "the provider does not permit this call (403)")
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable && asksToWait(resp.Header):
		err := failure(KindRateLimited, cause, "the provider asks for fewer calls (%d)", status)
		err.Until = retryAt(resp.Header, c.opts.Now())
		return err
	case status == http.StatusNotImplemented: // no outage: the vendor does not have this
		return failure(KindPermanent, cause, "the provider does not offer this call (501)")
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status >= http.StatusInternalServerError:
		return failure(KindTemporary, cause, "the provider answered %d", status)
	default:
		return failure(KindPermanent, cause, "the provider answered %d", status)
	}
}

// excerpt returns the beginning of a body without secrets. A body that breaks
// off is as good as it came: the status says enough.
func (c *Client) excerpt(req *http.Request, body io.Reader) string {
	raw, _ := io.ReadAll(io.LimitReader(body, excerptRead))
	text := c.redact(string(raw))
	text = NewRedactor(requestSecrets(req)).Redact(text)
	if len(text) > excerptSize {
		text = text[:excerptSize]
	}
	return strings.ToValidUTF8(text, "")
}

// sendError says why no answer came. It keeps nothing of err but what it
// recognises: transports quote URLs and pieces of answers.
func (c *Client) sendError(ctx, attempt context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if r, ok := errors.AsType[*refusal](err); ok {
		return failure(KindPermanent, ErrRefused, "%s", r.reason)
	}
	if attempt.Err() != nil {
		return c.timedOut()
	}
	return failure(KindTemporary, nil, "%s", networkWords(err))
}

// readError says why an answer broke off.
func (c *Client) readError(ctx, attempt context.Context, _ error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if attempt.Err() != nil {
		return c.timedOut()
	}
	return failure(KindTemporary, io.ErrUnexpectedEOF, "the provider's answer was cut short")
}

func (c *Client) timedOut() error {
	return failure(KindTemporary, nil, "the provider did not answer within %s", seconds(c.opts.Timeout))
}

func seconds(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return d.String()
}

func tooLarge(limit int64) error {
	size := fmt.Sprintf("%d bytes", limit)
	if limit%(1<<20) == 0 {
		size = fmt.Sprintf("%d MiB", limit>>20)
	}
	return failure(KindTemporary, nil, "the provider's answer is larger than %s", size)
}

// networkWords says in words what went wrong below HTTP.
func networkWords(err error) string {
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "the provider's name could not be resolved"
	}
	if words, ok := certificateWords(err); ok {
		return words
	}
	if ne, ok := errors.AsType[net.Error](err); ok && ne.Timeout() {
		return "the provider did not answer in time"
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the provider does not accept connections"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "there is no route to the provider"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return "the provider closed the connection without an answer"
	default:
		return "the provider could not be reached"
	}
}

func certificateWords(err error) (string, bool) {
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "the provider's certificate is for another name", true
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "the provider's certificate is of an unknown authority", true
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return "the provider's certificate has expired", true
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the provider's certificate is not valid", true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "the provider does not speak TLS at this address", true
	}
	return "", false
}
