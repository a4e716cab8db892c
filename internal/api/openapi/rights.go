package openapi

import (
	"slices"
	"strings"

	"github.com/drover-fleet/drover"
)

// scopesKey is the key of an operation's document that lists the scopes it needs, for
// programs. The header of a refusal names the one that is missing.
const scopesKey = "x-required-scopes"

// holders are who has a scope.
var holders = map[drover.Permission]string{
	drover.PermissionRead:    "every user, and every key but those with the scope push alone",
	drover.PermissionWrite:   "members, admins, and keys with that scope",
	drover.PermissionSecrets: "admins, and keys with that scope",
	drover.PermissionAdmin:   "admins, and keys with that scope",
	drover.PermissionPush:    "members, admins, and keys with that scope",
}

// rights says in words who may call an operation.
func (r Operation) rights() string {
	if len(r.Operator) > 0 {
		return " Needs `" + string(r.Operator[0]) + "`: keys of the operator with that scope."
	}
	if r.Public || len(r.Needs) == 0 {
		return ""
	}
	names := make([]string, len(r.Needs))
	for i, need := range r.Needs {
		names[i] = "`" + string(need) + "`"
	}
	words := []string{" Needs " + strings.Join(names, " and ") + ": " + holders[r.Needs[len(r.Needs)-1]] + "."}
	if r.Person {
		words = append(words, " For people: an API key is refused.")
	}
	if r.Fresh {
		words = append(words, " Users with a second factor must have shown it in the last ten minutes.")
	}
	if r.OfShare != "" {
		words = append(words, " Of what another tenant shares, the share must have the scope `"+string(r.OfShare)+"`.")
	}
	for _, scope := range r.Shows {
		words = append(words, " Of what another tenant shares, "+given[scope]+" needs the scope `"+string(scope)+"`.")
	}
	return strings.Join(words, "")
}

// given is what a scope of a share gives.
var given = map[drover.ShareScope]string{
	drover.ScopePositions: "where it was",
	drover.ScopeDrivers:   "who drove",
	drover.ScopeReadings:  "what its instruments say and what is broken",
	drover.ScopeSafety:    "how safely it was driven",
}

// Caller is one kind of those who call.
type Caller struct {
	Name        string
	Permissions []drover.Permission // none for anyone without a login
	Key         bool
	// Operator is the scope of a key of the operator, which names the tenant that it acts in.
	Operator drover.OperatorScope
}

// Callers are all kinds of them: without a login, by role, keys with one scope besides
// reading, or that of sending alone, and keys of the operator with one scope.
func Callers() []Caller {
	all := []Caller{{Name: "anyone"}}
	for _, role := range drover.Roles {
		all = append(all, Caller{Name: string(role), Permissions: role.Permissions()})
	}
	for _, p := range drover.Permissions {
		scopes := []drover.Permission{drover.PermissionRead, p}
		if p == drover.PermissionRead || p == drover.PermissionPush {
			scopes = scopes[1:]
		}
		all = append(all, Caller{Name: "key:" + string(p), Permissions: scopes, Key: true})
	}
	for _, scope := range drover.OperatorScopes {
		c := Caller{Name: "operator:" + string(scope), Key: true, Operator: scope}
		if scope == drover.OperatorAct {
			c.Permissions = drover.Permissions
		}
		all = append(all, c)
	}
	return all
}

// Allows reports whether a caller may call the operation, for records of its own tenant.
func (r Operation) Allows(c Caller) bool {
	switch {
	case r.Public:
		return true
	case len(r.Operator) > 0:
		return slices.Contains(r.Operator, c.Operator)
	case len(c.Permissions) == 0, r.Person && c.Key:
		return false
	}
	return !slices.ContainsFunc(r.Needs, func(p drover.Permission) bool { return !slices.Contains(c.Permissions, p) })
}
