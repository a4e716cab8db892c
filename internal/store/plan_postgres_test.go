package store_test

import (
	"context"
	"slices"
	"testing"

	"github.com/drover-fleet/drover/internal/store/storetest"
)

// TestPlanner holds that what plans the statements of all tests (storetest.PlannedMain)
// finds what it is there for: the statements with a fault are of earlier versions.
func TestPlanner(t *testing.T) {
	t.Parallel()
	const (
		shared = `(d.tenant_id, d.connection_id) IN (SELECT cs.tenant_id, cs.connection_id FROM connection_share cs WHERE cs.shared_with = $1)`
		claim  = `UPDATE milestone SET due_at = $2 WHERE (tenant_id, id) IN (SELECT m.tenant_id, m.id FROM milestone m WHERE m.due_at <= $1 ORDER BY m.due_at LIMIT `
	)
	for i, queries := range []map[string][]string{
		{
			`SELECT id FROM device WHERE tenant_id = $1 AND active = TRUE`: nil,
			`SELECT tenant_id FROM device WHERE id = $1`:                   nil,
			`SELECT name FROM tenant ORDER BY name`:                        nil,
			`SELECT id FROM trip WHERE connection_id = $1`:                 {"all of trip"},
			`SELECT d.connection_id, c.configuration FROM device_latest l JOIN device d ON d.tenant_id = l.tenant_id AND d.id = l.device_id
				JOIN connection c ON c.tenant_id = d.tenant_id AND c.id = d.connection_id WHERE l.silent_due <= $1 ORDER BY l.silent_due LIMIT $2`: {"all of device"},
			claim + `$3)`: {"all of milestone", `milestone along milestone_due by "(due_at <= $1)"`},
			claim + `64)`: {`milestone along milestone_due by "(due_at <= $1)"`},
		},
		{
			`SELECT d.id FROM device d WHERE d.tenant_id = $1 ORDER BY d.id LIMIT $2`: nil,
			`SELECT d.id, d.tags FROM device d WHERE ` + shared +
				` ORDER BY d.id LIMIT $2`: {`device along device_id by ""`},
			`SELECT * FROM (SELECT d.id, d.tags FROM device d WHERE ` + shared + ` OFFSET 0) AS d ORDER BY d.id LIMIT $2`: nil,
		},
	} {
		shape := storetest.Shapes[i]
		t.Run(shape.Name, func(t *testing.T) {
			t.Parallel()
			p, err := storetest.NewPlanner(t.Context(), storetest.Options(t, "postgres").URL, shape)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := p.Close(context.Background()); err != nil {
					t.Error(err)
				}
			})
			for query, want := range queries {
				found := must[[]string](t)(p.AcrossTenants(t.Context(), query))
				slices.Sort(found)
				if !slices.Equal(found, want) {
					t.Errorf("%s: found %q, want %q", query, found, want)
				}
			}
		})
	}
}
