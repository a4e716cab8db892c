package database_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// severalHosts is an address that names a dead server before the real one.
func severalHosts(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("host", t.TempDir()+","+q.Get("host"))
	u.RawQuery = q.Encode()
	return u.String()
}

// TestSeveralHosts opens a database at the second of two servers, of which the first is dead, and takes none that
// only reads: a standby, before it is promoted.
func TestSeveralHosts(t *testing.T) {
	t.Parallel()
	o := storetest.Options(t, "postgres")
	open := func() error {
		db, err := database.Open(t.Context(), database.Options{URL: severalHosts(t, o.URL)})
		if err == nil {
			err = db.Close()
		}
		return err
	}
	if err := open(); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), o.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, c := range [][2]string{{"on", "read only"}, {"off", ""}} {
		set, want := c[0], c[1]
		if _, err := conn.Exec(t.Context(), "ALTER DATABASE "+pgx.Identifier{conn.Config().Database}.Sanitize()+
			" SET default_transaction_read_only = "+set); err != nil {
			t.Fatal(err)
		}
		if err := open(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("with default_transaction_read_only %s: %v", set, err)
		}
	}
}
