package decode

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/drover-fleet/drover"
)

// maxDepth bounds the nesting of a body. No request needs a tenth of it.
const maxDepth = 64

// parse returns data as a tree of map[string]any, []any, string, json.Number,
// bool and nil.
func parse(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return nil, notJSON(faultOf(err, len(data)))
	}
	end := int(dec.InputOffset())
	if rest := bytes.TrimLeft(data[end:], " \t\r\n"); len(rest) > 0 {
		return nil, notJSON(len(data) - len(rest))
	}
	if at := firstUnsound(data); at >= 0 {
		return nil, notJSON(at)
	}
	return tree, nil
}

func notJSON(offset int) error {
	return drover.Invalid("json_invalid", "JSON decode error", offset)
}

// faultOf returns the offset of the byte that err complains of. A text that
// ends too early has its fault at its end.
func faultOf(err error, size int) int {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return int(syntax.Offset) - 1
	}
	return size
}

// firstUnsound returns the offset of the first fault that encoding/json lets
// pass or mends in silence: invalid UTF-8, half a surrogate pair, nesting too
// deep. It returns -1 where there is none. data is well-formed otherwise.
func firstUnsound(data []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(data); {
		c := data[i]
		step := 1
		switch {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && size == 1 {
				return i
			}
			step = size
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			if step = escapeLen(data[i:]); step == 0 {
				return i
			}
		case !quoted && (c == '{' || c == '['):
			if depth++; depth > maxDepth {
				return i
			}
		case !quoted && (c == '}' || c == ']'):
			depth--
		}
		i += step
	}
	return -1
}

// escapeLen returns the length of the escape that text starts with, counting a
// pair of surrogates as one, and 0 for a surrogate that stands alone.
func escapeLen(text []byte) int {
	const one, pair = len(`\u0000`), len(`\u0000\u0000`)
	if text[1] != 'u' {
		return len(`\n`)
	}
	first := escaped(text)
	if !utf16.IsSurrogate(first) {
		return one
	}
	if utf16.DecodeRune(first, escaped(text[one:])) == utf8.RuneError {
		return 0
	}
	return pair
}

// escaped returns the code unit of a \u escape at the start of text, zero where
// there is none.
func escaped(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return 0
	}
	return rune(unit)
}
