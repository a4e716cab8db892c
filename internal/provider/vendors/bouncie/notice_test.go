package bouncie

import (
	"net/http"
	"testing"
)

func TestGenuine(t *testing.T) {
	t.Parallel()
	if !genuine("key", http.Header{"Authorization": {"key"}}, nil) || genuine("key", http.Header{"Authorization": {"other"}}, nil) || genuine("key", http.Header{}, nil) {
		t.Error("the key is not compared")
	}
}
