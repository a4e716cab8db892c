package iso15143

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/drover-fleet/drover/internal/provider"
)

// translate turns an XML document into a JSON object of what its root holds:
// attributes and elements are members by their local names, repeated elements a
// list, and text a string. Namespaces are dropped, as producers differ in them.
func translate(document []byte) (string, error) {
	decoder := xml.NewDecoder(bytes.NewReader(document))
	for {
		token, err := decoder.Token()
		if err != nil {
			return "", unreadable(err)
		}
		root, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if strings.EqualFold(root.Name.Local, "html") {
			return "", provider.Errorf(provider.KindTemporary, "the provider's answer is a web page")
		}
		value, err := element(decoder, root)
		if err != nil {
			return "", unreadable(err)
		}
		text, err := json.Marshal(value)
		return string(text), err
	}
}

// unreadable says what is wrong with an answer. The decoder's own words quote it.
func unreadable(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "unexpected EOF") {
		return provider.Errorf(provider.KindTemporary, "the provider's answer could not be read: it ends too early")
	}
	return provider.Errorf(provider.KindTemporary, "the provider's answer could not be read: it is not XML")
}

// element reads an element up to its end: a text where it has nothing else, an
// object otherwise.
func element(decoder *xml.Decoder, start xml.StartElement) (any, error) {
	members := map[string]any{}
	for _, attribute := range start.Attr {
		if attribute.Name.Space != "xmlns" && attribute.Name.Local != "xmlns" {
			members[attribute.Name.Local] = attribute.Value
		}
	}
	var text strings.Builder
	for {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
		case xml.StartElement:
			value, err := element(decoder, token)
			if err != nil {
				return nil, err
			}
			add(members, token.Name.Local, value)
		case xml.EndElement:
			if len(members) == 0 {
				return strings.TrimSpace(text.String()), nil
			}
			return members, nil
		}
	}
}

// add adds a member; a second one of the same name makes a list of both.
func add(members map[string]any, name string, value any) {
	switch before := members[name].(type) {
	case nil:
		members[name] = value
	case []any:
		members[name] = append(before, value)
	default:
		members[name] = []any{before, value}
	}
}
