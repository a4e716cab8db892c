package storetest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/drover-fleet/drover/internal/store/database"
)

// Tenants could lie apart, each on one of several servers, as Citus keeps them. It refuses
// statements that one PostgreSQL takes, and what reads over all tenants waits for the server
// that is down. The rules are held here without it.

// refused are the shapes of statements that are not run over several servers. Those of one
// tenant may have some of them: they go to its server as they are.
var refused = []struct {
	is     *regexp.Regexp
	ofOne  bool
	reason string
}{
	{regexp.MustCompile(`\bFOR (UPDATE|SHARE)\b`), true, "locks rows of several tenants"},
	{regexp.MustCompile(`^WITH RECURSIVE\b`), true, "goes from tenant to tenant"},
	{regexp.MustCompile(`\bctid\b`), true, "names rows by their place on a server"},
	{regexp.MustCompile(`\bLATERAL\b`), true, "asks for each row of a list"},
	{regexp.MustCompile(`FROM unnest\(.*\) AS \w+ WHERE (NOT )?EXISTS`), true, "asks for each row of a list"},
	{regexp.MustCompile(`FROM tenant t WHERE .*\bEXISTS \(SELECT .*= t\.id\b`), true, "asks for each tenant"},
	{regexp.MustCompile(`\bRETURNING .*\(SELECT\b`), false, "reads where it has written"},
	{regexp.MustCompile(`\bON CONFLICT\b.*\bWHERE\b.*_timestamp\(\)`), false, "asks the clock about a conflict"},
}

// choices may not ask the clock, not even for one tenant.
var choices = regexp.MustCompile(`\bCASE\b.*?\bEND\b`)

// stillRefused are statements that have such a shape, by a package whose tests run them and a part
// of their text, with the reason. They are run where all tenants are at one place alone: Apart
// refuses them too. One that is not needed any more is a failure.
var stillRefused = [][3]string{
	{"work", "UPDATE collection SET due_at", "by tenant, one PostgreSQL claims a third as fast"},
	{"store", "UPDATE milestone SET due_at", "as connections, and whether others share is asked with it"},
	{"store", "FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY", "one PostgreSQL gathers over tenants half as fast again"},
}

// coupled are readings over all tenants within a transaction that writes, as stillRefused:
// it fails with the server of any of them.
var coupled = [][3]string{
	{"history", "FROM position_", "a week of all tenants is dropped when no one keeps it"},
}

// apart is what the statements of a package have done against the rules.
var apart struct {
	mu     sync.Mutex
	faults map[string]bool
	needed map[[3]string]bool // exceptions
}

// apartness are the transactions of one store.
type apartness struct {
	mu    sync.Mutex
	wrote map[int64]bool
	read  map[int64]string // over all tenants
}

// looked has each text that was held to the rules, and whether it is on the rows of all
// tenants: a package runs some hundred texts a million times.
var looked sync.Map

// look holds a statement to the rules.
func (a *apartness) look(s database.Statement) {
	over, known := looked.Load(s.Query)
	if !known {
		query := oneLine(s.Query)
		over = overAll(query)
		lookAtText(query, over == true)
		looked.Store(s.Query, over)
	}
	if s.Tx == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.Table == "" && over == true {
		a.read[s.Tx] = oneLine(s.Query)
	}
	if s.Table != "" {
		a.wrote[s.Tx] = true
	}
	if read := a.read[s.Tx]; read != "" && a.wrote[s.Tx] {
		notApart(coupled, "reads over all tenants in a transaction that writes", read)
	}
}

// lookAtText holds the text of a statement to the rules.
func lookAtText(query string, over bool) {
	if reason := refusal(query, over); reason != "" {
		notApart(stillRefused, reason, query)
	}
}

// refusal is why a statement is not run over several servers, nothing where it is.
func refusal(query string, over bool) string {
	for _, shape := range refused {
		if shape.is.MatchString(query) && (!shape.ofOne || over) {
			return shape.reason
		}
	}
	if slices.ContainsFunc(choices.FindAllString(query, -1), func(text string) bool { return strings.Contains(text, "_timestamp()") }) {
		return "asks the clock in CASE"
	}
	return ""
}

// OverAll reports whether a statement reads the rows of all tenants, so that it would fail with
// the server of any of them.
func OverAll(query string) bool {
	query = oneLine(query)
	return !ofSome.MatchString(query) && (overAll(query) || sharedBy.MatchString(query))
}

// ofSome names several tenants.
var ofSome = regexp.MustCompile(`\btenant_id = ANY\(\$`)

// sharedBy are readings of what is shared with a tenant, by any owner: often one half of a
// statement whose other half names the tenant.
var sharedBy = regexp.MustCompile(`\bWHERE \w+\.shared_with = \$`)

// overAll reports whether a statement is on tables of tenants and names none.
func overAll(query string) bool {
	if namesTenant.MatchString(query) || insertsOne.MatchString(query) {
		return false
	}
	return slices.ContainsFunc(reads.FindAllStringSubmatch(query, -1), func(match []string) bool {
		return match[1] != "SET" && match[1] != "unnest" && !strings.HasPrefix(match[1], "pg_") && !slices.Contains(globalTables, match[1])
	})
}

// notApart notes that a statement breaks a rule, unless it is an exception.
func notApart(known [][3]string, reason, query string) {
	apart.mu.Lock()
	defer apart.mu.Unlock()
	for _, k := range known {
		if strings.Contains(query, k[1]) {
			apart.needed[k] = true
			return
		}
	}
	apart.faults[fmt.Sprintf("where tenants lie apart, a statement %s: %s", reason, query)] = true
}

// apartFaults are what was found. Of all tests of a package, each exception is needed.
func apartFaults(all bool) []error {
	apart.mu.Lock()
	defer apart.mu.Unlock()
	var out []error
	for fault := range apart.faults {
		out = append(out, fmt.Errorf("%s", fault))
	}
	folder, _ := os.Getwd() // go test runs in the package's own
	for _, k := range slices.Concat(stillRefused, coupled) {
		if all && !Citus() && k[0] == filepath.Base(folder) && !apart.needed[k] { // a Citus is given other statements
			out = append(out, fmt.Errorf("%q is no exception any more: take it from the list", k[1]))
		}
	}
	return out
}
