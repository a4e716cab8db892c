package iso15143

import (
	"context"
	"time"
)

// Pages keeps the pages of a fleet that were read: producers want each to be read seldom,
// and devices and positions are both in them.
type Pages struct {
	Client *Client
	Now    func() time.Time

	read map[int]Page
}

// Page is a page of a fleet.
type Page struct {
	Fleet Fleet
	More  bool

	at time.Time
}

// Get returns a page that is at most so old.
func (p *Pages) Get(ctx context.Context, number int, age time.Duration) (page Page, err error) {
	if page, ok := p.read[number]; ok && p.Now().Sub(page.at) < age {
		return page, nil
	}
	page.at = p.Now()
	if page.Fleet, page.More, err = p.Client.Fleet(ctx, number); err != nil {
		return Page{}, err
	}
	if p.read == nil {
		p.read = map[int]Page{}
	}
	p.read[number] = page
	return page, nil
}
