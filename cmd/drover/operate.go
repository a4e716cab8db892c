package main

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
)

// action is something that the operator does to a record of a tenant.
type action struct {
	tenantID, name, recordType, recordID string
}

// operate makes a change that no use case makes, and writes down, where the tenant's admins
// can read it, that the operator did.
func operate(w world, s *store.Store, a action, f func(tx *store.Tx) error) error {
	return s.Update(w, func(tx *store.Tx) error {
		if err := f(tx); err != nil {
			return err
		}
		return tx.Accounts.AddAudit(w, a.tenantID, drover.Audit{
			ID: store.NewID(), Time: now(), ActorType: drover.ActorOperator, ActorName: guard.OperatorName, Action: a.name,
			RecordType: &a.recordType, RecordID: &a.recordID, Outcome: drover.AuditDone,
		}, "")
	})
}

// asking is a world in which the use cases know that the operator asks, and for what.
func asking(w world, action, recordType, recordID string) world {
	w.Context = guard.WithRequest(w.Context, guard.Request{Action: action, RecordType: recordType, RecordID: recordID, Operator: true})
	return w
}
