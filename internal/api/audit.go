package api

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/middle"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) auditRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/audit", s.listAudit).
			named("listAudit", tagAccount, "List what was done",
				"Who did what, to which record, from where and with which outcome, newest first: sign-ins and failed ones, secrets that were read, every change by a person or a key, and what was refused to them. "+
					"It is kept for 400 days, and holds no secret.").
			admin().can(errorsOfList...),
	}
}

type auditQuery struct {
	drover.AuditFilter
	paging
}

func (s *server) listAudit(c *call, q auditQuery) (page[drover.Audit], error) {
	var before drover.IDCursor
	if err := q.place(&before); err != nil {
		return page[drover.Audit]{}, err
	}
	entries, err := s.Fleet.Identity.Audit(c.Context, c.principal, q.AuditFilter, before, q.Limit+1)
	if err != nil {
		return page[drover.Audit]{}, err
	}
	return newPage(entries, q.Limit, func(a drover.Audit) cursor { return drover.IDCursor(a.ID) })
}

// verbs are what the methods do to a record.
var verbs = map[string]string{
	http.MethodGet: "read", http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "update", http.MethodDelete: "delete",
}

// action names an operation: its path without parameters, and what it does.
func (r route) action() string {
	var words []string
	for part := range strings.SplitSeq(strings.Trim(r.Path, "/"), "/") {
		if !strings.HasPrefix(part, "{") {
			words = append(words, part)
		}
	}
	return strings.Join(append(words, verbs[r.Method]), ".")
}

// request says what is asked for, as far as it is written down. The record is that
// of the path's first parameter or, where it has none, the one to be made.
func (r *route) request(req *http.Request) guard.Request {
	q := guard.Request{Action: r.actionName, RecordType: r.record, Address: req.RemoteAddr, ID: middle.InfoFrom(req.Context()).RequestID}
	if r.recordParam != "" {
		q.RecordID = req.PathValue(r.recordParam)
	}
	return q
}

// pathParameter is a parameter in the path of an operation.
var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// audited works out once how an operation is written down.
func (r route) audited() route {
	r.actionName = r.action()
	r.record, _, _ = strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	// The text of a link is a secret, and who drove may be erased.
	if m := pathParameter.FindStringSubmatch(r.Path); m != nil && strings.HasSuffix(m[1], "_id") && m[1] != "driver_id" {
		r.recordParam = m[1]
		r.record = strings.ReplaceAll(strings.TrimSuffix(m[1], "_id"), "_", "-")
	}
	return r
}
