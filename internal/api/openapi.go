package api

import (
	_ "embed"
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/example"
	"github.com/drover-fleet/drover/internal/api/openapi"
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

func serveDocument(document []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(document) // the caller may have gone away
	})
}

// agentsText tells programs that read texts how to use the interface.
//
//go:embed llms.txt
var agentsText string

func serveAgentsText(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(agentsText)) // a caller who has gone hears nothing
}
