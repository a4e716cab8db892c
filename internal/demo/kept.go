package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet"
)

// keptFile is in the data folder of a demo that was made to the end, and says when it began.
const keptFile = "demo-began"

// Kept is when the demo in a folder began, and zero where the folder holds none.
func Kept(folder string) (began time.Time, err error) {
	text, err := os.ReadFile(filepath.Join(folder, keptFile)) //nolint:gosec // the operator's own folder
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, nil
	}
	if err == nil {
		err = began.UnmarshalText(text)
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("read when the demo began: %w", err)
	}
	return began, nil
}

// Keep writes down when the demo began, so that another run goes on with it.
func (d *Demo) Keep(folder string) error {
	text, err := d.begin.MarshalText()
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, keptFile), text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write when the demo began: %w", err)
	}
	return nil
}

// Begin has the history read that the demo did not begin with, and returns a device to look at.
func (d *Demo) Begin(ctx context.Context, o Options) (drover.Device, error) {
	p, err := admin(ctx, o)
	if err != nil {
		return drover.Device{}, err
	}
	if err := d.deepen(ctx, o.Fleet, p); err != nil {
		return drover.Device{}, fmt.Errorf("deepen the demo's history: %w", err)
	}
	devices, err := o.Fleet.Devices.Devices(ctx, p, drover.DeviceFilter{}, "", 1)
	if err == nil && len(devices) == 0 {
		err = errors.New("the demo has no device")
	}
	if err != nil {
		return drover.Device{}, err
	}
	return devices[0], nil
}

// admin is the demo's administrator.
func admin(ctx context.Context, o Options) (drover.Principal, error) {
	user, err := o.Store.Accounts.LoginByName(ctx, Username)
	return drover.Principal{TenantID: user.TenantID, UserID: user.ID, Role: user.Role}, err
}

func (d *Demo) deepen(ctx context.Context, f *fleet.Service, p drover.Principal) error {
	connections, err := f.Connections.Connections(ctx, p, "", "", 1000)
	start := drover.At(d.begin.Add(-allHistory))
	for _, c := range connections {
		if err == nil && c.CollectionStartTime.After(start.Time) {
			_, err = f.Connections.UpdateConnection(ctx, p, c.ID, drover.ConnectionUpdate{CollectionStartTime: drover.Some(start)})
		}
	}
	return err
}
