package main

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
)

// deed is something that the operator does to a record of a tenant.
type deed struct {
	tenantID, action, recordType, recordID string
}

// operate makes a change and writes down, where the tenant's admins can read it, that
// the operator did.
func operate(w world, s *store.Store, d deed, f func(tx *store.Tx) error) error {
	return s.Update(w, func(tx *store.Tx) error {
		if err := f(tx); err != nil {
			return err
		}
		return tx.Accounts.AddAudit(w, d.tenantID, drover.Audit{
			ID: store.NewID(), Time: now(), ActorType: drover.ActorOperator, ActorName: guard.OperatorName, Action: d.action,
			RecordType: &d.recordType, RecordID: &d.recordID, Outcome: drover.AuditDone,
		}, "")
	})
}

// asking is a world in which the use cases know that the operator asks, and for what.
func asking(w world, action, recordType, recordID string) world {
	w.Context = guard.WithRequest(w.Context, guard.Request{Action: action, RecordType: recordType, RecordID: recordID, Operator: true})
	return w
}
