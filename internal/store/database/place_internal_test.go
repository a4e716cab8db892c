package database

import (
	"context"
	"database/sql"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestReachServers has a database without tenants, whose servers cannot be told from others, then with
// a tenant at one of them: both are reached directly from then on, also the one that has none.
func TestReachServers(t *testing.T) {
	t.Parallel()
	config, err := pgx.ParseConfig("postgres://drover@db0/drover")
	if err != nil {
		t.Fatal(err)
	}
	list := []Place{{Name: "db1:5432", Address: "db1:5432"}, {Name: "db2:5432", Address: "db2:5432"}}
	var asked []string
	p, err := newPlaces(t.Context(), nil, config, 1, func(context.Context, Reader) ([]Place, error) { return list, nil },
		func(_ context.Context, _ *sql.DB, place Place, tenant string) bool {
			asked = append(asked, place.Name+" "+tenant)
			return true
		})
	if err != nil {
		t.Fatal(err)
	}
	p.stop()
	<-p.done // it does not look by itself
	at := func(name string) string { return p.now.Load().pools[name].address }
	if len(asked) > 0 || at("db1:5432") != "" || at("db2:5432") != "" {
		t.Errorf("without a tenant it asks %q, and reaches %q and %q", asked, at("db1:5432"), at("db2:5432"))
	}
	list[1].Tenants = []string{"first"}
	if err := p.look(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(asked) != 2 || asked[0] != "db1:5432 first" || at("db1:5432") != "db1:5432" || at("db2:5432") != "db2:5432" {
		t.Errorf("with a tenant it asks %q, and reaches %q and %q", asked, at("db1:5432"), at("db2:5432"))
	}
	for _, one := range p.now.Load().pools {
		if err := one.db.Close(); err != nil {
			t.Error(err)
		}
	}
}
