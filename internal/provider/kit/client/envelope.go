package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
)

// JSON sends a request as outbound.JSON does, and reads the part of the answer that
// open returns, as Client.Open says. It is for calls that no Client can make.
func JSON(ctx context.Context, doer provider.Doer, req *http.Request, into any, open func(answer []byte) ([]byte, error)) error {
	if open == nil {
		return outbound.JSON(ctx, doer, req, into)
	}
	e := envelope{Into: into, open: open}
	if err := outbound.JSON(ctx, doer, req, &e); err != nil {
		return err
	}
	return e.failure
}

// envelope is an answer: what is read into Into, or a failure. Into is exported for
// outbound, which looks there for what is missing.
type envelope struct {
	Into    any `json:"-"`
	open    func([]byte) ([]byte, error)
	failure error
}

// UnmarshalJSON reads either.
func (e *envelope) UnmarshalJSON(b []byte) error {
	inner, err := e.open(b)
	if _, ok := errors.AsType[*provider.Error](err); ok {
		e.Into, e.failure = nil, err
		return nil
	}
	if err != nil || e.Into == nil {
		return err
	}
	return json.Unmarshal(inner, e.Into)
}

// InBody gives an answer with an error status the meaning that its body has, where
// open finds a failure there: many vendors have codes of their own in it. Other
// errors stay as they are.
func InBody(err error, open func(answer []byte) ([]byte, error)) error {
	status, ok := errors.AsType[*provider.StatusError](err)
	if !ok || !json.Valid([]byte(status.Body)) {
		return err
	}
	_, failure := open([]byte(status.Body))
	failed, ok := errors.AsType[*provider.Error](failure)
	if !ok {
		return err
	}
	return &provider.Error{Kind: failed.Kind, Until: provider.RetryAt(err), Err: failed.Err}
}
