package guard

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// Readable lets a tenant read what is its own or shared with it.
func Readable(p drover.Principal, a store.Access) error {
	if !GrantOf(p, a).Records() {
		return drover.Forbidden()
	}
	return nil
}

// GrantOf is what a tenant may read of a record's connection.
func GrantOf(p drover.Principal, a store.Access) drover.Grant {
	if a.TenantID == p.TenantID {
		return drover.FullGrant
	}
	return a.Shared
}

// Owned lets only the owner pass: sharing gives no more than reading.
func Owned(p drover.Principal, tenantID string) error {
	if tenantID != p.TenantID {
		return drover.Forbidden()
	}
	return nil
}

// MayWrite refuses viewers. Every change asks it first, so that a viewer cannot
// find out by trying which records exist.
func MayWrite(p drover.Principal) error {
	if !p.Can(drover.PermissionWrite) {
		return drover.Requires(drover.PermissionWrite)
	}
	return nil
}

// MayAdminister refuses all but those who may change users, keys and shares.
func MayAdminister(p drover.Principal) error {
	if !p.Can(drover.PermissionAdmin) {
		return drover.Requires(drover.PermissionAdmin)
	}
	return nil
}

// MayReadSecrets refuses all but those who may read credentials and signing
// secrets.
func MayReadSecrets(p drover.Principal) error {
	if !p.Can(drover.PermissionSecrets) {
		return drover.Requires(drover.PermissionSecrets)
	}
	return nil
}

// MayPush refuses all but those who may send records.
func MayPush(p drover.Principal) error {
	if !p.Can(drover.PermissionPush) {
		return drover.Requires(drover.PermissionPush)
	}
	return nil
}

// Person refuses keys: what is a person's own they do not have.
func Person(p drover.Principal) error {
	if p.Key {
		return drover.Forbidden()
	}
	return nil
}
