package collect

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/drover-fleet/drover/internal/store"
)

// forms are what an adapter was met with since it was made, by name.
type forms struct {
	mu  sync.Mutex
	met map[string]map[string]bool
}

// maxForms bounds the forms of one thing: a vendor that comes with ever new ones
// must not fill the configuration.
const maxForms = 8

// meet is the adapter's Met.
func (a *adapter) meet(name, form string) {
	if a == nil { // made for a single call
		return
	}
	a.forms.mu.Lock()
	defer a.forms.mu.Unlock()
	if a.forms.met == nil {
		a.forms.met = map[string]map[string]bool{}
	}
	if a.forms.met[name] == nil {
		a.forms.met[name] = map[string]bool{}
	}
	if len(a.forms.met[name]) < maxForms {
		a.forms.met[name][cleanText(form)] = true
	}
}

// metForms returns the forms to be stored, nil where all of them are. One thing
// may have several, which are told in their order: they are added to, so that a
// vendor that changes back and forth is written down once.
func (v *visit) metForms() map[string]string {
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
	for name, met := range v.adapter.forms.met {
		list := slices.DeleteFunc(strings.Split(known[name], formSeparator), func(s string) bool { return s == "" })
		for _, form := range slices.Sorted(maps.Keys(met)) {
			if !slices.Contains(list, form) && len(list) < maxForms {
				list = append(list, form)
			}
		}
		slices.Sort(list)
		all[name] = strings.Join(list, formSeparator)
	}
	if maps.Equal(all, known) {
		return nil
	}
	return all
}

const formSeparator = ", "

func (v *visit) storeForms(ctx context.Context, tx *store.Tx, met map[string]string) error {
	if met == nil {
		return nil
	}
	return tx.SetForms(ctx, v.claim.TenantID, v.claim.ConnectionID, met)
}
