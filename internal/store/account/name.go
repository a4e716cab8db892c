package account

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/secure/precis"
	"golang.org/x/text/unicode/norm"

	"github.com/drover-fleet/drover/internal/store/database"
)

// NormalName is the form in which names and addresses of users are compared, over all
// tenants: what looks alike in another case or another form of Unicode is the same.
func NormalName(name string) string {
	if key, err := precis.Nickname.CompareKey(name); err == nil {
		return key
	}
	return strings.ToLower(norm.NFKC.String(strings.TrimSpace(name))) // it holds what CheckUsername refuses
}

var (
	errUsername     = errors.New("a username must not contain @, control or invisible characters")
	errLongUsername = errors.New("a username must have 1 to 255 characters")
)

// CheckUsername returns an error if name cannot be chosen as a username. An address has an @,
// so no name can be another user's address.
func CheckUsername(name string) error {
	if utf8.RuneCountInString(name) > 255 {
		return errLongUsername
	}
	if _, err := precis.Nickname.CompareKey(name); err != nil || strings.ContainsFunc(norm.NFKC.String(name), unfit) {
		return errUsername
	}
	return nil
}

func unfit(r rune) bool {
	return r == '@' || r != ' ' && !unicode.IsGraphic(r) ||
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// NameClashes are in words what is wrong with the names of users: those that are no names,
// and those that are another user's name or address.
func (q Reader) NameClashes(ctx context.Context) ([]string, error) {
	type named struct{ tenantID, id, username, email, loginName, loginEmail string }
	rows, err := q.db.QueryContext(ctx, `SELECT u.tenant_id, u.id, u.username, u.email, u.login_name, u.login_email FROM account_user u ORDER BY u.created_at, u.id`)
	users, err := database.ReadAll(rows, err, "list names", func(row database.Scanner) (n named, err error) {
		return n, row.Scan(&n.tenantID, &n.id, &n.username, &n.email, &n.loginName, &n.loginEmail)
	})
	if err != nil {
		return nil, err
	}
	var clashes []string
	first := map[string]named{}
	for _, u := range users {
		name, email := NormalName(u.username), NormalName(u.email)
		if CheckUsername(u.username) != nil || name != u.loginName || email != u.loginEmail {
			clashes = append(clashes, fmt.Sprintf("user %s of tenant %s has to be named again", u.id, u.tenantID))
		}
		for _, key := range []string{name, email} {
			if other, known := first[key]; known && other.id != u.id {
				clashes = append(clashes, fmt.Sprintf("user %s of tenant %s has the name or the address of user %s of tenant %s", u.id, u.tenantID,
					other.id, other.tenantID))
			}
			first[key] = u
		}
	}
	return clashes, nil
}
