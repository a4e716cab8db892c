package contract_test

import (
	"encoding/base64"
	"encoding/json"

	"github.com/drover-fleet/drover"
)

// noFilterOfChanges is the answer to a list of changes with a filter.
var noFilterOfChanges = invalid("value_error", "Value error, a list of changes takes no other parameters than limit and cursor", "query",
	"sort")

// cursorElsewhere is a cursor of changes that another database has given.
func cursorElsewhere(kind drover.ChangeKind) string {
	text, err := json.Marshal(drover.ChangeCursor{Kind: kind, Epoch: "elsewhere", ID: "00000000-0000-0000-0000-000000000000"})
	if err != nil {
		panic(err) // a fault of the table
	}
	return base64.RawURLEncoding.EncodeToString(text)
}
