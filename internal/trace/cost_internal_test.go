package trace

import (
	"context"
	"encoding/json"
	"testing"
	"time"
)

// BenchmarkRequest is all that a request of six statements costs besides: followed, with its part of a message
// to the collector, and not.
func BenchmarkRequest(b *testing.B) {
	for name, ratio := range map[string]float64{"followed": 1, "left out": 0} {
		b.Run(name, func(b *testing.B) {
			e := New(Options{Now: time.Now})
			var batch []*Span
			t := &Tracer{ratio: ratio, now: time.Now, ended: func(s *Span) { batch = append(batch, s) }}
			b.ReportAllocs()
			for b.Loop() {
				ctx, span := t.Begin(context.Background(), Server, "GET", ParseHeader(""))
				for range 6 {
					Statement(ctx, "postgresql", "SELECT d.id, d.name, d.updated_at\nFROM device d WHERE d.tenant_id = $1 AND d.id > $2 ORDER BY d.id LIMIT 51").End()
				}
				span.Rename("GET /device")
				span.Text(Route, "/device")
				span.Number(Status, 200)
				span.End()
				if len(batch) >= maxBatch {
					if _, err := json.Marshal(e.message(batch)); err != nil {
						b.Fatal(err)
					}
					batch = batch[:0]
				}
			}
		})
	}
}
