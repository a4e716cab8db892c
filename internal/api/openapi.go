package api

import (
	_ "embed"
	"net/http"
	"sync"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/example"
	"github.com/drover-fleet/drover/internal/api/mcp"
	"github.com/drover-fleet/drover/internal/api/openapi"
	"github.com/drover-fleet/drover/internal/decode"
)

// Document describes the interface as OpenAPI 3.1, as it is served where nothing is enabled
// beyond it.
func Document(version string) ([]byte, error) {
	return describe(version, (&server{}).routes(), drover.ProviderNames)
}

// Operations are all operations of the interface.
func Operations() []openapi.Operation {
	var all []openapi.Operation
	for _, r := range (&server{}).routes() {
		all = append(all, r.Operation)
	}
	return all
}

func describe(version string, routes []route, providers []drover.ProviderName) ([]byte, error) {
	i := openapi.Interface{
		Version: version, Date: versions[0], Newest: versions[len(versions)-1],
		Examples: examples(), Frame: example.Frame(), Providers: providers,
		Tags: []string{
			tagAccount, tagToken, tagConnection, tagMilestone, tagDevice, tagTrip, tagDriver, tagWebhook, tagProvider, tagEvent, tagUser,
			tagLink, tagExport, tagReport, tagOperator,
		},
	}
	for _, r := range routes {
		i.Operations = append(i.Operations, r.Operation)
	}
	return i.OpenAPI()
}

// offer is what depends on which providers there are: an operator may place a file that
// describes one more while the service runs.
type offer struct {
	providers []drover.ProviderName
	decoder   *decode.Decoder
	document  func() ([]byte, error)
	tools     func() http.Handler
}

// offered is the present offer.
func (s *server) offered() *offer {
	names := s.Fleet.Connections.ProviderNames()
	// Names that have not changed are the same array, so none of them is compared.
	if before := s.offer.Load(); before != nil && &before.providers[0] == &names[0] {
		return before
	}
	now := &offer{providers: names, decoder: decode.New(names)}
	now.document = sync.OnceValues(func() ([]byte, error) { return describe(s.Version, s.routes(), names) })
	now.tools = sync.OnceValue(func() http.Handler {
		return mcp.Handler(mcp.Options{Fleet: s.Fleet, Logger: s.Logger, Version: s.Version})
	})
	s.offer.Store(now)
	return now
}

func (s *server) document() ([]byte, error) { return s.offered().document() }

func (s *server) serveDocument(w http.ResponseWriter, r *http.Request) {
	document, err := s.document()
	if err != nil {
		s.Logger.ErrorContext(r.Context(), "describe the interface", "err", err)
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(document) // the caller may have gone away
}

// agentsText tells programs that read texts how to use the interface.
//
//go:embed llms.txt
var agentsText string

func serveAgentsText(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(agentsText)) // a caller who has gone hears nothing
}
