package outbound

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
)

// JSON sends req with ctx, reads the whole answer and decodes it into into, where
// that is not nil. An answer that is cut short or is not the JSON
// expected gives KindTemporary, with a text that quotes nothing of the answer.
//
// What is expected is into's type: null is no list, and a field of a struct with
// the tag required:"true" must be there. An answer that lacks it, an error in a
// form that no one knows, say, would otherwise read as an empty one. An answer
// of 204 has said that it is empty.
func JSON(ctx context.Context, doer Doer, req *http.Request, into any) error {
	return TranslatedJSON(ctx, doer, req, into, nil)
}

// Form is one that answers may have besides JSON.
type Form struct {
	Is        func(answer []byte) bool
	Cost      func(answer []byte) int64 // what its translation takes of memory at the most
	Translate func(answer []byte) ([]byte, error)
}

// TranslatedJSON is JSON for answers that may have another form as well.
func TranslatedJSON(ctx context.Context, doer Doer, req *http.Request, into any, form *Form) error {
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
	b, bounded := resp.Body.(*boundedBody)
	if form != nil && form.Is(data) {
		if bounded {
			if err := b.weigh(ctx, form.Cost(data)); err != nil {
				return err
			}
		}
		if data, err = form.Translate(data); err != nil {
			return err
		}
	}
	if bounded {
		if err := b.weigh(ctx, b.sizes.decoded(data, reflect.TypeOf(into))); err != nil {
			return err
		}
	}
	if err := json.Unmarshal(data, into); err != nil {
		return failure(KindTemporary, nil, "the provider's answer could not be read: %s", jsonWords(err, len(data), resp.Header))
	}
	if words := missing(reflect.ValueOf(into)); words != "" && resp.StatusCode != http.StatusNoContent {
		return failure(KindTemporary, nil, "the provider's answer could not be read: %s", words)
	}
	return nil
}

// FormError is what the UnmarshalJSON of an answer says of a form that it does not
// know, in words that quote nothing of the answer: "it has no list of vehicles".
type FormError string

func (e FormError) Error() string { return string(e) }

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
func jsonWords(err error, size int, header http.Header) string {
	if size == 0 {
		return "it is empty"
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		if syntax.Offset >= int64(size) {
			return "it ends too early"
		}
		return "it is " + typeWords(header) + "not JSON"
	}
	if typ, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		found, _, _ := strings.Cut(typ.Value, " ") // a number's value follows its kind
		if typ.Field == "" {
			return "it is an unexpected " + found
		}
		return "its field " + typ.Field + " is an unexpected " + found
	}
	if form, ok := errors.AsType[FormError](err); ok {
		return form.Error()
	}
	return "it has an unexpected form"
}

// typeWords says what an answer that is not JSON claims to be.
func typeWords(header http.Header) string {
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	switch {
	case err != nil, strings.Contains(media, "json"), len(media) > 60:
		return ""
	case media == "text/html":
		return "a web page, "
	default:
		return media + ", "
	}
}
