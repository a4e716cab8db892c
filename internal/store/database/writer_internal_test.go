package database

import "testing"

// TestBulkWaits looks who is written next while others wait too.
func TestBulkWaits(t *testing.T) {
	t.Parallel()
	d := &sqliteDB{writes: make(chan *sqliteWrite, 2), bulk: make(chan *sqliteWrite, 2)}
	first, second, large := &sqliteWrite{}, &sqliteWrite{}, &sqliteWrite{}
	d.bulk <- large
	d.writes <- first
	d.writes <- second
	steps := []struct {
		bulk bool
		want *sqliteWrite
	}{{true, first}, {false, second}, {false, nil}, {true, large}, {true, nil}}
	for i, step := range steps {
		if got := d.waiting(step.bulk); got != step.want {
			t.Errorf("step %d: got %p, want %p of %p, %p and %p", i, got, step.want, first, second, large)
		}
	}
}

// TestEndKeepsWritesUnderWay ends the writer in the middle of a transaction: it is
// committed whole, because others that were promised theirs may share it.
func TestEndKeepsWritesUnderWay(t *testing.T) {
	t.Parallel()
	d := openTest(t)
	ctx := t.Context()
	if _, err := d.write.ExecContext(ctx, `CREATE TABLE written (n INTEGER)`); err != nil {
		t.Fatal(err)
	}
	err := d.Update(ctx, Urgent, func(tx *Tx) error {
		for n := range 2 {
			if _, err := tx.Write("written").ExecContext(ctx, `INSERT INTO written VALUES ($1)`, n); err != nil {
				return err
			}
			d.stop()
		}
		return nil
	})
	if err != nil {
		t.Errorf("the write under way failed: %v", err)
	}
	<-d.stopped
	var n int
	if err := d.read.QueryRowContext(ctx, `SELECT COUNT(*) FROM written`).Scan(&n); err != nil || n != 2 {
		t.Errorf("%d rows were written, want 2: %v", n, err)
	}
}
