package middle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/drover-fleet/drover"
)

// errorBody is the body of every response that is no success.
type errorBody struct {
	Error ErrorDetail `json:"error"`
}

// ErrorDetail says what went wrong. Loc, Msg and Type are there for a failed
// validation alone.
type ErrorDetail struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Loc     []any  `json:"loc,omitzero"`
	Msg     string `json:"msg,omitzero"`
	Type    string `json:"type,omitzero"`
}

// describe is the single map from an error to the status and the body that
// tell it. Only a *drover.Error is shown in its own words.
func describe(err error) (int, errorBody) {
	e, ok := errors.AsType[*drover.Error](bodyError(err))
	if !ok {
		e = &drover.Error{}
	}
	status := statusOf(e.Kind)
	detail := ErrorDetail{Code: status, Message: e.Message}
	switch e.Kind { //nolint:exhaustive // the other kinds are distinguished by their message.
	case drover.KindInternal:
		detail.Message = "Internal error"
	case drover.KindInvalid:
		detail.Loc = append([]any{}, e.Loc...)
		detail.Msg = e.Message
		detail.Type = e.Type
	}
	return status, errorBody{detail}
}

func statusOf(kind drover.Kind) int {
	switch kind {
	case drover.KindMalformed:
		return http.StatusBadRequest
	case drover.KindUnauthenticated:
		return http.StatusUnauthorized
	case drover.KindForbidden:
		return http.StatusForbidden
	case drover.KindNotFound:
		return http.StatusNotFound
	case drover.KindConflict:
		return http.StatusConflict
	case drover.KindGone:
		return http.StatusGone
	case drover.KindChanged:
		return http.StatusPreconditionFailed
	case drover.KindTooLarge:
		return http.StatusRequestEntityTooLarge
	case drover.KindInvalid:
		return http.StatusUnprocessableEntity
	case drover.KindRateLimited:
		return http.StatusTooManyRequests
	case drover.KindUnavailable:
		return http.StatusServiceUnavailable
	case drover.KindInternal:
	}
	return http.StatusInternalServerError
}

// requiredScope is the header that names the right, or the scope of a share, that a
// refused caller lacks.
const requiredScope = "X-Required-Scope"

// secondFactor is the header that names what a refused caller has to do about its second
// factor first.
const secondFactor = "X-Second-Factor"

// errorHeaders sets the headers that belong to err: how to authenticate, what right
// is missing, and when to come back.
func errorHeaders(h http.Header, err error) {
	e, ok := errors.AsType[*drover.Error](err)
	if !ok {
		return
	}
	if e.Factor != "" {
		h.Set(secondFactor, string(e.Factor))
	}
	switch e.Kind { //nolint:exhaustive // the other kinds have no header.
	case drover.KindUnauthenticated:
		h.Set("WWW-Authenticate", "Bearer")
	case drover.KindForbidden:
		if e.Required != "" {
			h.Set(requiredScope, e.Required)
		}
	case drover.KindRateLimited, drover.KindUnavailable:
		h.Set("Retry-After", strconv.Itoa(max(1, wholeSeconds(e.RetryAfter))))
	}
}

// wholeSeconds rounds up: a caller that comes back early is refused again.
func wholeSeconds(d time.Duration) int {
	return int((d + time.Second - 1) / time.Second)
}

// WriteErr answers with err in the error envelope. It does not log: set
// Info.Err for that.
func WriteErr(w http.ResponseWriter, err error) {
	errorHeaders(w.Header(), err)
	status, body := describe(err)
	writeBody(w, status, body)
}

// WriteError answers with a status that no kind of drover.Error stands for.
func WriteError(w http.ResponseWriter, status int, message string) {
	writeBody(w, status, errorBody{ErrorDetail{Code: status, Message: message}})
}

func writeBody(w http.ResponseWriter, status int, body errorBody) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		// Only a location that is neither text nor number gets here.
		panic(fmt.Errorf("print an error body: %w", err))
	}
	h := w.Header()
	h.Del("Content-Length")
	h.Del("Content-Encoding")
	h.Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// The caller may have gone away.
	_, _ = w.Write(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
}
