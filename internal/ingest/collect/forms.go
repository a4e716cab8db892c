package collect

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// observedForms are the forms that an adapter has seen since it was made, by the
// name of what has them.
type observedForms struct {
	mu   sync.Mutex
	seen map[string]map[string]bool
	// withheld are what the account lacks by the name of what it may not read, empty once it
	// may, until that is stored: another process may see the next change.
	withheld map[string]string
}

// maxForms bounds the forms of one thing: a vendor that comes with ever new ones
// must not fill the configuration.
const maxForms = 8

// observe is the Observed of the adapter's configuration.
func (a *adapter) observe(name, form string) {
	if a == nil { // made for a single call
		return
	}
	a.forms.mu.Lock()
	defer a.forms.mu.Unlock()
	if strings.HasPrefix(name, provider.WithheldForm) {
		if a.forms.withheld == nil {
			a.forms.withheld = map[string]string{}
		}
		a.forms.withheld[name] = cleanText(form)
		return
	}
	if a.forms.seen == nil {
		a.forms.seen = map[string]map[string]bool{}
	}
	if a.forms.seen[name] == nil {
		a.forms.seen[name] = map[string]bool{}
	}
	if len(a.forms.seen[name]) < maxForms {
		a.forms.seen[name][cleanText(form)] = true
	}
}

// changedForms returns the forms to be stored, nil where all of them are. One thing
// may have several, which are reported in their order: they are added to, so that a
// vendor that changes back and forth is written down once. What is withheld is over once it
// is permitted.
func (v *run) changedForms() map[string]string {
	if v.adapter == nil {
		return nil
	}
	v.adapter.forms.mu.Lock()
	defer v.adapter.forms.mu.Unlock()
	known := v.conn.Configuration.Forms
	all := maps.Clone(known)
	if all == nil {
		all = map[string]string{}
	}
	for name, seen := range v.adapter.forms.seen {
		list := slices.DeleteFunc(strings.Split(known[name], formSeparator), func(s string) bool { return s == "" })
		for _, form := range slices.Sorted(maps.Keys(seen)) {
			if !slices.Contains(list, form) && len(list) < maxForms {
				list = append(list, form)
			}
		}
		slices.Sort(list)
		all[name] = strings.Join(list, formSeparator)
	}
	for name, need := range v.adapter.forms.withheld {
		if all[name] = need; need == "" {
			delete(all, name)
		}
	}
	if maps.Equal(all, known) {
		return nil
	}
	return all
}

// keepForms notes that forms are stored; nil where none have changed.
func (v *run) keepForms(forms map[string]string) {
	if forms != nil {
		v.conn.Configuration.Forms = forms
	}
	v.adapter.forms.mu.Lock()
	defer v.adapter.forms.mu.Unlock()
	maps.DeleteFunc(v.adapter.forms.withheld, func(name, need string) bool { return v.conn.Configuration.Forms[name] == need })
}

const formSeparator = ", "

// pollSeconds is how often positions of the connection are asked for.
func (v *run) pollSeconds() int {
	return v.info.PollSeconds(v.c.opts.PollInterval)
}

// storeMet stores what was found out of a connection: forms of the vendor, and how often
// positions are asked for, which the operator may have set since.
func (v *run) storeMet(ctx context.Context, tx *store.Tx, forms map[string]string) error {
	seconds := v.pollSeconds()
	if forms == nil && seconds == v.conn.Configuration.PollIntervalSeconds {
		return nil
	}
	return tx.Fleet.Configure(ctx, v.claim.TenantID, v.claim.ConnectionID, func(c *drover.Configuration) {
		c.PollIntervalSeconds = seconds
		if forms != nil {
			c.Forms = forms
		}
	})
}
