package database

import "testing"

// TestPlanned has changes that look at several tables planned each time, and no others.
func TestPlanned(t *testing.T) {
	t.Parallel()
	for query, each := range map[string]bool{
		`UPDATE device SET active = $2 WHERE tenant_id = $1`:                                                  false,
		`UPDATE delivery AS d SET state = v.state FROM unnest($1::uuid[]) AS v (id) WHERE d.id = v.id`:        true,
		"\n\tUPDATE webhook SET error_count = (SELECT 1 FROM tenant WHERE id = $1) WHERE tenant_id = $1":      true,
		`DELETE FROM device WHERE tenant_id = $1`:                                                             false,
		`DELETE FROM delivery d USING webhook w WHERE d.tenant_id = $1 AND w.tenant_id = $1`:                  true,
		`DELETE FROM device WHERE tenant_id = $1 AND id IN (SELECT device_id FROM trip WHERE tenant_id = $1)`: true,
		`SELECT 1 FROM device WHERE tenant_id = $1 AND id IN (SELECT device_id FROM trip)`:                    false,
		`INSERT INTO device (tenant_id) SELECT id FROM tenant WHERE id = $1`:                                  false,
	} {
		if args := planned(query, []any{"a"}); (len(args) == 2) != each || args[len(args)-1] != "a" {
			t.Errorf("%s: %d arguments", query, len(args))
		}
	}
}
