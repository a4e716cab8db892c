package identity

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/rules/calendar"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// The refusals of a change of tenants.
var (
	errTenantTaken = drover.Errorf(drover.KindConflict, "A tenant with this name exists")
	errErasing     = drover.Errorf(drover.KindConflict, "The tenant is being erased")
)

func managed(t drover.Tenant) drover.ManagedTenant {
	return drover.ManagedTenant{ID: t.ID, Name: t.Name, State: t.State(), CreatedAt: t.CreatedAt}
}

// Tenants lists all tenants by id, after the id given.
func (s *Directory) Tenants(ctx context.Context, p drover.Principal, after drover.IDCursor, limit int) ([]drover.ManagedTenant, error) {
	if err := mayOperate(p, drover.OperatorTenantsRead); err != nil {
		return nil, err
	}
	tenants, err := s.store.Accounts.TenantsPage(ctx, string(after), limit)
	out := make([]drover.ManagedTenant, len(tenants))
	for i, t := range tenants {
		out[i] = managed(t)
	}
	return out, err
}

// Tenant reads a tenant with its limits.
func (s *Directory) Tenant(ctx context.Context, p drover.Principal, id string) (drover.ManagedTenantDetail, error) {
	if err := mayOperate(p, drover.OperatorTenantsRead); err != nil {
		return drover.ManagedTenantDetail{}, err
	}
	t, err := s.store.Accounts.Tenant(ctx, id)
	if err != nil {
		return drover.ManagedTenantDetail{}, guard.OrNotFound(err, guard.UnknownTenant, id)
	}
	return detailOf(ctx, s.store.Accounts, t)
}

func detailOf(ctx context.Context, from account.Reader, t drover.Tenant) (drover.ManagedTenantDetail, error) {
	limits, err := guard.Limits(ctx, from, t.ID)
	return drover.ManagedTenantDetail{ManagedTenant: managed(t), Limits: limits}, err
}

// CreateTenant adds a tenant, with a first user and a first key where they are asked for.
func (s *Directory) CreateTenant(ctx context.Context, p drover.Principal, in drover.TenantInput) (made drover.TenantCreated, err error) {
	if err := mayOperate(p, drover.OperatorTenantsWrite); err != nil {
		return made, err
	}
	t := drover.Tenant{ID: store.NewID(), CreatedAt: s.now()}
	if t.Name, err = tenantName(in.Name); err != nil {
		return made, err
	}
	hash := ""
	if in.Admin != nil {
		if made.Admin, hash, err = s.firstUser(ctx, t, *in.Admin); err != nil {
			return made, err
		}
	}
	if in.APIKey != nil {
		key, err := s.newAPIKey(drover.APIKeyInput{Name: *in.APIKey, Role: new(drover.RoleAdmin)})
		if err != nil {
			return made, drover.InvalidValue("a name must not be blank", "body", "api_key")
		}
		key.Owner, key.MakerName = drover.KeyOfTenant, p.Name
		made.APIKey = &key
	}
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.TenantCreated, error) {
		if err := orTenantTaken(tx.Accounts.AddTenant(ctx, t)); err != nil {
			return made, err
		}
		if err := setLimits(ctx, tx.Accounts, t.ID, in.Limits); err != nil {
			return made, err
		}
		if made.Admin != nil {
			if err := orTaken(tx.Accounts.AddUser(ctx, *made.Admin, hash)); err != nil {
				return made, err
			}
		}
		if made.APIKey != nil {
			if err := tx.SignIn.AddAPIKey(ctx, t.ID, made.APIKey.APIKey, auth.HashSecret(made.APIKey.Key)); err != nil {
				return made, err
			}
		}
		if made.ManagedTenantDetail, err = detailOf(ctx, tx.Accounts.Reader, t); err != nil {
			return made, err
		}
		return made, s.guard.AuditTenant(ctx, tx.Accounts, p, t.ID)
	})
}

// maxTenantName bounds the characters of a name.
const maxTenantName = 255

func tenantName(text string) (string, error) {
	name := strings.TrimSpace(text)
	if name == "" {
		return "", drover.InvalidValue("a name must not be blank", "body", "name")
	}
	if utf8.RuneCountInString(name) > maxTenantName {
		return "", drover.InvalidValue("a name has 1 to 255 characters", "body", "name")
	}
	return name, nil
}

func orTenantTaken(err error) error {
	if errors.Is(err, store.ErrExists) {
		return errTenantTaken
	}
	return err
}

// firstUser checks the first user of a tenant, and hashes its password.
func (s *Directory) firstUser(ctx context.Context, t drover.Tenant, in drover.AdminInput) (*drover.User, string, error) {
	u := drover.User{
		ID: store.NewID(), TenantID: t.ID, Username: strings.TrimSpace(in.Username), Email: strings.TrimSpace(in.Email),
		Role: drover.RoleAdmin, CreatedAt: s.now(),
	}
	err := checkUser(u)
	hash := ""
	if err == nil {
		hash, err = s.hashFor(ctx, u, in.Password, 0)
	}
	// The rules of users know them as a whole body.
	if e, ok := errors.AsType[*drover.Error](err); ok && e.Kind == drover.KindInvalid {
		moved := *e
		moved.Loc = slices.Insert(slices.Clone(e.Loc), 1, any("admin"))
		err = &moved
	}
	return &u, hash, err
}

// setLimits sets limits, and gives those the default again that are null. One that holds already
// is not set.
func setLimits(ctx context.Context, tx account.Editor, tenantID string, limits []drover.LimitInput) error {
	for _, l := range limits {
		held, err := tx.Limit(ctx, tenantID, l.Name)
		switch {
		case err != nil:
		case l.Limit == nil:
			err = tx.UnsetLimit(ctx, tenantID, l.Name)
		case held != *l.Limit:
			err = tx.SetLimit(ctx, tenantID, l.Name, *l.Limit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// UpdateTenant changes the fields that were sent. All processes know of it within a second.
func (s *Directory) UpdateTenant(
	ctx context.Context, p drover.Principal, id string, in drover.TenantUpdate,
) (out drover.ManagedTenantDetail, err error) {
	if err := mayOperate(p, drover.OperatorTenantsWrite); err != nil {
		return out, err
	}
	if in.Name.Value != nil {
		if *in.Name.Value, err = tenantName(*in.Name.Value); err != nil {
			return out, err
		}
	}
	err = s.guard.Update(ctx, p, func(tx *store.Tx) error {
		t, err := tx.Accounts.TenantForUpdate(ctx, id)
		if err != nil {
			return guard.OrNotFound(err, guard.UnknownTenant, id)
		}
		if t.Erasing {
			return errErasing
		}
		if err := applyTenant(ctx, tx, &t, in); err != nil {
			return err
		}
		if out, err = detailOf(ctx, tx.Accounts.Reader, t); err != nil || !tx.Changed() {
			return err
		}
		return s.guard.AuditTenant(ctx, tx.Accounts, p, id)
	})
	if err != nil {
		return out, err
	}
	return out, s.refresh(ctx)
}

func applyTenant(ctx context.Context, tx *store.Tx, t *drover.Tenant, in drover.TenantUpdate) error {
	if in.Name.Value != nil && *in.Name.Value != t.Name {
		t.Name = *in.Name.Value
		if err := orTenantTaken(tx.Accounts.RenameTenant(ctx, t.ID, t.Name)); err != nil {
			return err
		}
	}
	if in.Suspended.Value != nil && *in.Suspended.Value != t.Suspended {
		t.Suspended = *in.Suspended.Value
		if err := tx.Accounts.SuspendTenant(ctx, t.ID, t.Suspended); err != nil {
			return err
		}
	}
	return setLimits(ctx, tx.Accounts, t.ID, in.Limits)
}

// EraseTenant has a tenant erased in the background. It is refused from now on.
func (s *Directory) EraseTenant(ctx context.Context, p drover.Principal, id string) (out drover.TenantErasure, err error) {
	if err := mayOperate(p, drover.OperatorTenantsWrite); err != nil {
		return out, err
	}
	err = s.guard.Update(ctx, p, func(tx *store.Tx) error {
		if _, err := tx.Accounts.TenantForUpdate(ctx, id); err != nil {
			return guard.OrNotFound(err, guard.UnknownTenant, id)
		}
		return tx.Accounts.EraseTenant(ctx, id, s.now())
	})
	if err != nil {
		return out, err
	}
	return drover.TenantErasure{TenantID: id, State: drover.TenantErasing, Kept: drover.KeptOfTenant}, s.refresh(ctx)
}

// refresh has this process see at once what others see within a second. The command line
// remembers nothing.
func (s *Directory) refresh(ctx context.Context) error {
	if s.vault == nil {
		return nil
	}
	return s.vault.Refresh(ctx)
}

// maxUsageDays bounds the days that are asked for at once.
const maxUsageDays = 400

// Usage lists what tenants used on each day, after the place given; one of them where it
// is named. What an erased tenant used is kept.
func (s *Directory) Usage(
	ctx context.Context, p drover.Principal, tenantID string, f drover.UsageFilter, after drover.UsageCursor, limit int,
) ([]drover.Usage, error) {
	if err := mayOperate(p, drover.OperatorUsageRead); err != nil {
		return nil, err
	}
	from, err := usageDay(f.Start, "start_date")
	if err != nil {
		return nil, err
	}
	to, err := usageDay(f.End, "end_date")
	if err != nil {
		return nil, err
	}
	if to < from || to-from >= maxUsageDays {
		return nil, drover.InvalidValue("end_date must lie 0 to 399 days after start_date", "query", "end_date")
	}
	last := account.UsageDay{TenantID: after.TenantID}
	if after.TenantID != "" {
		if last.Day, err = usageDay(after.Date, "cursor"); err != nil {
			return nil, err
		}
	}
	days, err := s.store.Accounts.Usage(ctx, tenantID, from, to, last, limit)
	if err != nil {
		return nil, err
	}
	if tenantID != "" && len(days) == 0 {
		if _, err := s.store.Accounts.Tenant(ctx, tenantID); err != nil {
			return nil, guard.OrNotFound(err, guard.UnknownTenant, tenantID)
		}
	}
	out := make([]drover.Usage, len(days))
	for i, d := range days {
		out[i] = drover.Usage{
			TenantID: d.TenantID, Date: calendar.Date(d.Day), Requests: d.Requests, Positions: d.Positions, Deliveries: d.Deliveries, Bytes: d.Bytes,
		}
	}
	return out, nil
}

func usageDay(text, name string) (int64, error) {
	day, err := calendar.ParseDate(text)
	if err != nil {
		return 0, drover.Invalid("date_parsing", "Input should be a valid date in the format YYYY-MM-DD", "query", name)
	}
	return day, nil
}
