package openapi

import (
	"strings"

	"github.com/drover-fleet/drover"
)

// scopesKey is the key of an operation's document that lists the scopes it needs, for
// programs. The header of a refusal names the one that is missing.
const scopesKey = "x-required-scopes"

// holders are who has a scope.
var holders = map[drover.Permission]string{
	drover.PermissionRead:    "every user and key",
	drover.PermissionWrite:   "members, admins, and keys with that scope",
	drover.PermissionSecrets: "admins, and keys with that scope",
	drover.PermissionAdmin:   "admins, and keys with that scope",
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
	out := " Needs " + strings.Join(names, " and ") + ": " + holders[r.Needs[len(r.Needs)-1]] + "."
	if r.Person {
		out += " For people: an API key is refused."
	}
	if r.OfShare != "" {
		out += " Of what another tenant shares, the share must have the scope `" + string(r.OfShare) + "`."
	}
	return out
}
