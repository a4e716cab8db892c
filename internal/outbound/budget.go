package outbound

import "context"

const (
	// smallAnswer is what every answer may take of memory without asking.
	smallAnswer = 256 << 10
	// largeAnswers is how many larger ones a process reads at once: a small packed
	// answer can become a huge one, and many connections can have one at the same
	// moment.
	largeAnswers = 4
)

// Budget bounds the memory that the answers of all clients of a process take: each
// may be small, or one of a few that are large. Whoever holds one large answer
// needs no second, so that nobody waits for a holder that waits for others.
type Budget struct{ large chan struct{} }

// NewBudget makes a budget for a process.
func NewBudget() *Budget { return &Budget{make(chan struct{}, largeAnswers)} }

// take waits for the place of a large answer.
func (b *Budget) take(ctx context.Context) error {
	select {
	case b.large <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *Budget) give() { <-b.large }
