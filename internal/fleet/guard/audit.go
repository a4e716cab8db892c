package guard

import (
	"context"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// AuditLifetime is how long it is kept who did what.
const AuditLifetime = 400 * 24 * time.Hour

// Request is what a caller asks for, as far as it is written down.
type Request struct {
	// Action names what is done, such as connection.update.
	Action string
	// RecordType and RecordID say to what; empty where a record is yet to be made.
	RecordType, RecordID string
	// Address is where the request comes from, with or without a port.
	Address string
	ID      string
	// Operator says that the command line asks.
	Operator bool
}

// OperatorName is how the operator is called where it is written down what was done.
const OperatorName = "operator"

type requestContext struct{}

// OnCommandLine reports whether the operator asks, on the machine itself.
func OnCommandLine(ctx context.Context) bool {
	r, _ := ctx.Value(requestContext{}).(Request)
	return r.Operator
}

// WithRequest tells the use cases what they are asked for, and from where.
func WithRequest(ctx context.Context, r Request) context.Context {
	return context.WithValue(ctx, requestContext{}, r)
}

// host is an address without its port. Most requests need it as it came, so it is cut
// where it is wanted.
func host(address string) string {
	if a, err := netip.ParseAddrPort(address); err == nil {
		return a.Addr().Unmap().String()
	}
	return address
}

// About tells the use cases to which record a request is, where its path does not.
func About(ctx context.Context, recordType, id string) context.Context {
	r, ok := ctx.Value(requestContext{}).(Request)
	if !ok {
		return ctx
	}
	r.RecordType, r.RecordID = recordType, id
	return WithRequest(ctx, r)
}

// Acting gives what is asked for another name than that of its operation.
func Acting(ctx context.Context, action string) context.Context {
	r, ok := ctx.Value(requestContext{}).(Request)
	if !ok {
		return ctx
	}
	r.Action = action
	return WithRequest(ctx, r)
}

// Address is where a request comes from.
func Address(ctx context.Context) netip.Addr {
	r, _ := ctx.Value(requestContext{}).(Request)
	a, _ := netip.ParseAddr(host(r.Address)) // none is in no network
	return a.Unmap()
}

// Update runs a change in a transaction and writes down who made it. One that changes
// nothing is not written down.
func (g *Guard) Update(ctx context.Context, p drover.Principal, f func(tx *store.Tx) error) error {
	return g.store.Update(ctx, func(tx *store.Tx) error {
		if err := f(tx); err != nil {
			return err
		}
		if !tx.Changed() {
			return nil
		}
		return g.Audit(ctx, tx, p, "", drover.AuditDone)
	})
}

// Audit writes down what a caller did. What the service does by itself has no
// request, and is not.
func (g *Guard) Audit(ctx context.Context, tx *store.Tx, p drover.Principal, id string, outcome drover.AuditOutcome) error {
	r, ok := ctx.Value(requestContext{}).(Request)
	if !ok {
		return nil
	}
	if r.RecordID == "" {
		r.RecordID = id
	}
	if r.Operator {
		p.Name = OperatorName
	}
	a := g.entry(p, r, outcome)
	if err := tx.Accounts.AddAudit(ctx, p.TenantID, a, refusalsOf(a)); err != nil {
		return err
	}
	if !p.Operates() || p.TenantID == drover.OperatorTenant {
		return nil
	}
	return g.addOperatorAudit(ctx, tx.Accounts, p.TenantID, a, refusalsOf(a))
}

func (g *Guard) entry(p drover.Principal, r Request, outcome drover.AuditOutcome) drover.Audit {
	return drover.Audit{
		ID: store.NewID(), Time: g.now(), ActorType: actorOf(p, r), ActorID: OrNull(p.UserID), ActorName: p.Name, Action: r.Action,
		RecordType: OrNull(r.RecordType), RecordID: OrNull(r.RecordID), Address: OrNull(host(r.Address)), RequestID: OrNull(r.ID),
		Outcome: outcome, Count: 1,
	}
}

// addOperatorAudit writes down for the operator what its key did in a tenant. The record
// is the tenant: the tenant's own entry, of the same request, says which one of it.
func (*Guard) addOperatorAudit(ctx context.Context, tx account.Editor, tenantID string, a drover.Audit, same string) error {
	a.ID, a.RecordType, a.RecordID = store.NewID(), OrNull("tenant"), &tenantID
	if same != "" {
		same = tenantID + " " + same
	}
	return tx.AddAudit(ctx, drover.OperatorTenant, a, same)
}

// AuditTenant writes down for a tenant what the operator does to it. The operator's own
// entry is that of the change.
func (g *Guard) AuditTenant(ctx context.Context, tx account.Editor, p drover.Principal, tenantID string) error {
	r, ok := ctx.Value(requestContext{}).(Request)
	if !ok {
		return nil
	}
	r.RecordType, r.RecordID = "tenant", tenantID
	if r.Operator {
		p.Name = OperatorName
	}
	return tx.AddAudit(ctx, tenantID, g.entry(p, r, drover.AuditDone), "")
}

// AuditActing writes down on both sides, once an hour, that a key of the operator acts in a
// tenant: what it only reads has no entries.
func (g *Guard) AuditActing(ctx context.Context, tx *store.Tx, p drover.Principal) error {
	r, _ := ctx.Value(requestContext{}).(Request)
	r.Action, r.RecordType, r.RecordID, r.ID = "operator.act", "tenant", p.TenantID, ""
	a := g.entry(p, r, drover.AuditDone)
	same := strings.Join([]string{r.Action, p.UserID, strconv.FormatInt(a.Time.Unix()/int64(refusalWindow.Seconds()), 10)}, " ")
	if err := tx.Accounts.AddAudit(ctx, p.TenantID, a, same); err != nil {
		return err
	}
	return g.addOperatorAudit(ctx, tx.Accounts, p.TenantID, a, same)
}

// refusalWindow is how long refusals of one kind go into one entry.
const refusalWindow = time.Hour

// refusalsOf names the entry that a refusal is counted in: who asks for the same thing
// again and again writes one row, whatever records it names. Empty for what was done.
func refusalsOf(a drover.Audit) string {
	if a.Outcome != drover.AuditRefused {
		return ""
	}
	actor, address := a.ActorName, ""
	if a.ActorID != nil {
		actor = *a.ActorID
	}
	if a.Address != nil {
		address = auth.AddressGroup(*a.Address)
	}
	return strings.Join([]string{
		string(a.ActorType), actor, a.Action, address,
		strconv.FormatInt(a.Time.Unix()/int64(refusalWindow.Seconds()), 10),
	}, " ")
}

func actorOf(p drover.Principal, r Request) drover.ActorType {
	switch {
	case r.Operator || p.Operates():
		return drover.ActorOperator
	case p.Key:
		return drover.ActorKey
	case p.UserID == "":
		return drover.ActorPublic
	}
	return drover.ActorUser
}

// OrNull is a text, or nil for none.
func OrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// AuditRead writes down that a secret is read, before it is.
func (g *Guard) AuditRead(ctx context.Context, p drover.Principal) error {
	return g.store.Update(ctx, func(tx *store.Tx) error { return g.Audit(ctx, tx, p, "", drover.AuditDone) })
}

// idOf is the id of a record that was made; empty where it has none.
func idOf(record any) string {
	v := reflect.ValueOf(record)
	if v.Kind() != reflect.Struct {
		return ""
	}
	if id := v.FieldByName("ID"); id.IsValid() && id.Kind() == reflect.String {
		return id.String()
	}
	return ""
}
