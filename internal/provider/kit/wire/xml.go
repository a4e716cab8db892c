package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
)

// deepest is how many elements may lie within one another. The standards have seven; each
// takes a part of the stack, which a hostile document would exhaust.
const deepest = 64

// xmlCost is what an element or an attribute takes once it is read, with its text as JSON.
const xmlCost = 256

// JSONOrXML is outbound.JSON for vendors whose answers may be in XML: attributes and elements
// are members by their local names, repeated elements a list, text a string, and an element
// without content null. Namespaces are dropped, as producers differ in them.
func JSONOrXML(ctx context.Context, doer provider.Doer, req *http.Request, into any) error {
	return outbound.TranslatedJSON(ctx, doer, req, into, &outbound.Form{Is: isXML, Cost: costOfXML, Translate: translate})
}

func isXML(answer []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(answer, []byte("\ufeff"))), []byte("<"))
}

func costOfXML(answer []byte) int64 {
	return int64(bytes.Count(answer, []byte("<"))+bytes.Count(answer, []byte("=")))*xmlCost + 2*int64(len(answer))
}

// translate turns an XML document into a JSON object of what its root holds.
func translate(document []byte) ([]byte, error) {
	decoder := xml.NewDecoder(bytes.NewReader(document))
	for {
		token, err := decoder.Token()
		if err != nil {
			return nil, unreadable(err)
		}
		root, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if strings.EqualFold(root.Name.Local, "html") {
			return nil, provider.Errorf(provider.KindTemporary, "the provider's answer is a web page")
		}
		value, err := element(decoder, root, 1)
		if err != nil {
			return nil, unreadable(err)
		}
		return json.Marshal(value)
	}
}

// errDeep says that a document has too many elements within one another.
var errDeep = errors.New("it is too deep")

// unreadable says what is wrong with an answer. The decoder's own words quote it.
func unreadable(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "unexpected EOF") {
		return provider.Errorf(provider.KindTemporary, "the provider's answer could not be read: it ends too early")
	}
	return provider.Errorf(provider.KindTemporary, "the provider's answer could not be read: it is not XML")
}

// element reads an element up to its end: a text where it has nothing else, null where it
// has not even that, an object otherwise.
func element(decoder *xml.Decoder, start xml.StartElement, depth int) (any, error) {
	if depth > deepest {
		return nil, errDeep
	}
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
			value, err := element(decoder, token, depth+1)
			if err != nil {
				return nil, err
			}
			add(members, token.Name.Local, value)
		case xml.EndElement:
			if len(members) > 0 {
				return members, nil
			}
			if said := strings.TrimSpace(text.String()); said != "" {
				return said, nil
			}
			return nil, nil
		}
	}
}

// add adds a member; a second one of the same name makes a list of both.
func add(members map[string]any, name string, value any) {
	switch before := members[name].(type) {
	case nil: // also one that was empty
		members[name] = value
	case []any:
		members[name] = append(before, value)
	default:
		members[name] = []any{before, value}
	}
}
