package wire

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/drover-fleet/drover/internal/provider"
)

// Get makes a request that asks for JSON. It quotes nothing of an address that is
// none: a key may stand in it.
func Get(ctx context.Context, address string, query url.Values) (*http.Request, error) {
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	return request(ctx, http.MethodGet, address, http.NoBody)
}

// PostForm makes a request that sends a form and asks for JSON.
func PostForm(ctx context.Context, address string, form url.Values) (*http.Request, error) {
	req, err := request(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return req, nil
}

// PostJSON makes a request that sends JSON and asks for it.
func PostJSON(ctx context.Context, address string, body any) (*http.Request, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, provider.Errorf(provider.KindPermanent, "the request could not be written")
	}
	req, err := request(ctx, http.MethodPost, address, strings.NewReader(string(text)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

func request(ctx context.Context, method, address string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, provider.Errorf(provider.KindPermanent, "the server address is not a valid URL")
	}
	req.Header.Set("Accept", "application/json")
	return req, nil
}
