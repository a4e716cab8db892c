package main

import (
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

type tenantRetention struct {
	tenantName
	listing
	Positions string `help:"How long the tenant's positions are kept: days such as 365d, off for ever, or default for what the operator has set for all." placeholder:"AGE"`
}

func (tenantRetention) Help() string {
	return example("drover tenant retention northern-haulage", "drover tenant retention northern-haulage --positions 365d")
}

func (c *tenantRetention) Run(w world) error {
	days, err := positionDays(c.Positions)
	if err != nil {
		return err
	}
	with := withStore
	if c.Positions == "" {
		with = withExisting
	}
	return with(w, c.Store, c.Log, func(s *store.Store) error {
		t, err := findTenant(w, s, c.Name)
		if err != nil {
			return err
		}
		if c.Positions != "" {
			return operate(w, s, tenantAction(t, "retention.update"), func(tx *store.Tx) error {
				return tx.Accounts.SetRetention(w, account.Retention{TenantID: t.ID, PositionDays: days})
			})
		}
		r, err := s.Accounts.Retention(w, t.ID)
		if err != nil {
			return err
		}
		return c.print(w, [][]string{{"positions " + ageOf(r)}}, map[string]*int{"position_days": r.PositionDays})
	})
}

// positionDays reads the setting: nil is the operator's.
func positionDays(text string) (*int, error) {
	if text == "" || text == "default" {
		return nil, nil // no setting of one's own is no fault
	}
	var age config.Age
	if err := age.UnmarshalText([]byte(text)); err != nil {
		return nil, misused("--positions: %v", err)
	}
	if age != 0 && age.Duration() < drover.MinPositionRetention {
		return nil, misused("--positions must be at least %s", config.Age(drover.MinPositionRetention))
	}
	return new(age.Days()), nil
}

func ageOf(r account.Retention) string {
	if r.PositionDays == nil {
		return "default"
	}
	return config.Age(time.Duration(*r.PositionDays) * account.Day).String()
}
