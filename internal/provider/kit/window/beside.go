package window

import (
	"context"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// Beside reads what the vendor says of the vehicles' instruments by a call of its own, beside
// a job of positions: now and then, with the last page of a live round. Positions do not wait
// for it: where the call fails it is made again later, and where the account may not make it,
// much later.
type Beside struct {
	Read  func(ctx context.Context, devices []string) ([]provider.DeviceReading, error)
	Every time.Duration
	// Series are what the call has, and Need is what an account lacks that may not make it.
	Series []drover.ReadingSeries
	Need   string
	Config provider.Config

	last, refused time.Time
}

// Of returns the job with what is read beside it.
func (b *Beside) Of(job Job[provider.Position]) Job[provider.Position] {
	return func(ctx context.Context, q provider.Query) (provider.Page[provider.Position], error) {
		page, err := job(ctx, q)
		now := b.Config.Now()
		if err != nil || page.More || !q.Live() || now.Sub(b.last) < b.Every || now.Sub(b.refused) < provider.WithheldRetry {
			return page, err
		}
		b.last = now
		said, err := b.Read(ctx, q.Devices)
		switch {
		case err == nil:
			page.Readings = append(page.Readings, said...)
			for _, s := range b.Series {
				b.Config.Permit(string(s.Kind))
			}
		case provider.Canceled(err):
			return provider.Page[provider.Position]{}, err
		case provider.KindOf(err) == provider.KindPermanent:
			b.refused = now
			for _, s := range b.Series {
				b.Config.Withhold(string(s.Kind), b.Need)
			}
		default:
			b.Config.Logger.WarnContext(ctx, "readings could not be read", "error", err)
		}
		return page, nil
	}
}
