package storetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/database"
)

// recordVariable names the folder to which every test of a process adds the statements
// that it runs. The test of the former release is made of them.
const recordVariable = "RECORD_STATEMENTS"

var recording sync.Mutex

// record has the statements of a store written down, where that is asked for.
func record(tb testing.TB, o store.Options) store.Options {
	tb.Helper()
	folder := os.Getenv(recordVariable)
	if folder == "" {
		return o
	}
	name := "sqlite"
	if o.URL != "" {
		name = "postgres"
	}
	before := o.Trace
	o.Trace = func(s database.Statement) {
		if before != nil {
			before(s)
		}
		recording.Lock()
		defer recording.Unlock()
		line, err := json.Marshal(s.Query)
		if err == nil {
			err = appendLine(filepath.Join(folder, name), line)
		}
		if err != nil {
			tb.Errorf("record a statement: %v", err)
		}
	}
	return o
}

func appendLine(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // anyone who runs the tests names it
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(append(line, '\n'))
	return err
}
