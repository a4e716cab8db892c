package outbound

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// JSON sends req with ctx, reads the whole answer and decodes it into into, where
// that is not nil. An answer that is cut short or is not the JSON
// expected gives KindTemporary, with a text that quotes nothing of the answer.
func JSON(ctx context.Context, doer Doer, req *http.Request, into any) error {
	resp, err := doer.Do(req.WithContext(ctx))
	if err != nil {
		return err
	}
	defer closeBody(resp.Body)
	if resp.StatusCode >= http.StatusMultipleChoices {
		return failure(KindTemporary, &StatusError{Status: resp.StatusCode},
			"the provider answered %d, a redirect, which is not followed", resp.StatusCode)
	}
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return readFailure(ctx, err)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(data, into); err != nil {
		return failure(KindTemporary, nil, "the provider's answer could not be read: %s", jsonWords(err, len(data)))
	}
	return nil
}

func readFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	return failure(KindTemporary, io.ErrUnexpectedEOF, "the provider's answer could not be read: it was cut short")
}

// jsonWords describes a decoding error without its text, which quotes values.
func jsonWords(err error, size int) string {
	if size == 0 {
		return "it is empty"
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		if syntax.Offset >= int64(size) {
			return "it ends too early"
		}
		return "it is not JSON"
	}
	if typ, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		found, _, _ := strings.Cut(typ.Value, " ") // a number's value follows its kind
		if typ.Field == "" {
			return "it is an unexpected " + found
		}
		return "its field " + typ.Field + " is an unexpected " + found
	}
	return "it has an unexpected form"
}
