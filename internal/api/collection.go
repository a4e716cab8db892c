package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) collectionRoutes() []route {
	return []route{
		op(http.MethodGet, "/connection/{connection_id}/health", s.getConnectionHealth).
			named("getConnectionHealth", tagConnection, "Get connection health",
				"How the collection goes: state, last success, next run and, stream by stream, what is wrong in words. For the owner also what the data say of themselves: speeds, odometers, headings and times held against each other.").
			can(errorsOfOne...).missing(guard.UnknownConnection),
		opQuery(http.MethodGet, "/connection/{connection_id}/coverage", s.getCoverage).
			named("getConnectionCoverage", tagConnection, "Get coverage",
				"Which kinds of readings a connection gives: what its provider is declared to have, held against what its devices said in the last days, and what the account may not read. For the owner.").
			can(errorsOfOne...).missing(guard.UnknownConnection),
		op(http.MethodGet, "/connection/{connection_id}/file", s.getConnectionFile).
			named("getConnectionFile", tagConnection, "Get the provider's file",
				"Of a provider that a file of the operator describes: the text in the version that the connection is read with, the calls that the last runs made because of which lines, and what came of them. For the owner.").
			can(errorsOfOne...).missing(guard.UnknownConnection),
		op(http.MethodGet, "/connection/{connection_id}/run", s.listRuns).
			named("listConnectionRuns", tagConnection, "List runs", "How the runs of the last 24 hours went, by kind and hour.").
			can(errorsOfOne...).missing(guard.UnknownConnection),
		opBody(http.MethodPost, "/connection/{connection_id}/sync", s.postSync).
			named("postSync", tagConnection, "Collect now", "Collects at once or, with from and to, fills a window of the past in. The jobs are part of the health that it returns.").
			maybe().can(errorsOfOne...).missing(guard.UnknownConnection),
		op(http.MethodDelete, "/connection/{connection_id}/sync/{job_id}", s.deleteSync).
			named("deleteSync", tagConnection, "Cancel a backfill job", "Ends a job that fills a window in. What it has read stays.").
			can(errorsOfOne...).missing(guard.UnknownConnection),
	}
}

func (s *server) getConnectionHealth(c *call) (drover.ConnectionDiagnosis, error) {
	return s.Fleet.Connections.ConnectionHealth(c.Context, c.principal, c.PathValue("connection_id"))
}

type coverageQuery struct {
	Days int `query:"days" default:"7" enum:"1,7,30" doc:"Of how many days what was seen counts."`
}

func (s *server) getCoverage(c *call, q coverageQuery) ([]drover.Coverage, error) {
	return s.Fleet.Connections.Coverage(c.Context, c.principal, c.PathValue("connection_id"), q.Days)
}

func (s *server) getConnectionFile(c *call) (drover.ConnectionFile, error) {
	return s.Fleet.Connections.ConnectionFile(c.Context, c.principal, c.PathValue("connection_id"))
}

func (s *server) listRuns(c *call) ([]drover.JobHour, error) {
	health, err := s.Fleet.Connections.ConnectionHealth(c.Context, c.principal, c.PathValue("connection_id"))
	return health.Runs, err
}

func (s *server) postSync(c *call, body drover.SyncInput) (drover.ConnectionHealth, error) {
	return s.Fleet.Connections.Sync(c.Context, c.principal, c.PathValue("connection_id"), body)
}

func (s *server) deleteSync(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Connections.CancelSync(c.Context, c.principal, c.PathValue("connection_id"), c.PathValue("job_id"))
}
