package notify

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/work"
)

// tally counts attempts by how long they took.
type tally struct {
	attempts, failures int64
	steps              map[int64]int64
}

func (t *tally) add(c work.AttemptCount) {
	if t.steps == nil {
		t.steps = map[int64]int64{}
	}
	t.attempts += c.Count
	t.steps[c.Step] += c.Count
	if c.Failed {
		t.failures += c.Count
	}
}

// p95 is the least step within which 95 of 100 attempts ended.
func (t *tally) p95() *int64 {
	var best *int64
	for step := range t.steps {
		within := int64(0)
		for other, n := range t.steps {
			if other <= step {
				within += n
			}
		}
		if within*100 >= t.attempts*95 && (best == nil || step < *best) {
			best = &step
		}
	}
	return best
}

// statsOf sums the counts of one webhook up, which are ordered by hour.
func statsOf(id string, counts []work.AttemptCount) drover.WebhookStats {
	stats := drover.WebhookStats{Hours: []drover.WebhookHour{}}
	var all, hour tally
	var at drover.Time
	finish := func() {
		if hour.attempts > 0 {
			stats.Hours = append(stats.Hours, drover.WebhookHour{Hour: at, Attempts: hour.attempts, Failures: hour.failures, P95MS: hour.p95()})
		}
		hour = tally{}
	}
	for _, c := range counts {
		if c.TargetID != id {
			continue
		}
		if c.Hour != at {
			finish()
			at = c.Hour
		}
		all.add(c)
		hour.add(c)
	}
	finish()
	stats.Attempts, stats.P95MS = all.attempts, all.p95()
	if all.attempts > 0 {
		stats.SuccessRate = new(float64(all.attempts-all.failures) / float64(all.attempts))
	}
	return stats
}
