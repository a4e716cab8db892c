package guard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/drover-fleet/drover"
)

type matchContext struct{}

// WithMatch makes a change conditional: it happens only while the record is one of
// those that an If-Match header names.
func WithMatch(ctx context.Context, header string) context.Context {
	return context.WithValue(ctx, matchContext{}, header)
}

// Conditional reports whether a change is.
func Conditional(ctx context.Context) bool { return ctx.Value(matchContext{}) != nil }

// RecordTag is the ETag of a record as it is shown: a fingerprint of its JSON. It is a
// weak one, because compression changes the bytes.
func RecordTag(text []byte) string {
	sum := sha256.Sum256(text)
	var tag [len(weak) + 1 + 32 + 1]byte
	copy(tag[:], weak+`"`)
	hex.Encode(tag[len(weak)+1:], sum[:16])
	tag[len(tag)-1] = '"'
	return string(tag[:])
}

// weak is the mark of tags that are.
const weak = "W/"

// NamesTag reports whether a list of tags, as If-Match and If-None-Match have it,
// names a tag. Weak and strong ones are compared without that mark.
func NamesTag(header, tag string) bool {
	tag = strings.TrimPrefix(tag, weak)
	for known := range strings.SplitSeq(header, ",") {
		if known = strings.TrimPrefix(strings.TrimSpace(known), weak); known == tag || known == "*" {
			return true
		}
	}
	return false
}

// Unchanged refuses a change of a record, as it is shown, that is not one which the
// caller has named. Anyone who asks has locked the record, so that it stays as it is.
func Unchanged(ctx context.Context, record any) error {
	header, conditional := ctx.Value(matchContext{}).(string)
	if !conditional {
		return nil
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(record); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	if NamesTag(header, RecordTag(bytes.TrimSpace(text.Bytes()))) {
		return nil
	}
	return drover.Errorf(drover.KindChanged, "The record has changed since it was read")
}
