package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) settingRoutes() []route {
	return []route{
		op(http.MethodGet, "/account/settings", s.getAccountSettings).
			named("getAccountSettings", tagAccount, "Get account settings",
				"What the tenant has set for all of its devices, and what holds. A connection's configuration and a device's settings are narrower, and win.").
			can(errorsOfList...),
		opBody(http.MethodPatch, "/account/settings", s.patchAccountSettings).
			named("patchAccountSettings", tagAccount, "Update account settings",
				"Changes the settings that are sent. They hold for trips that are derived from then on; POST /trip-recompute derives earlier ones again.").
			can(errorsOfList...),
		op(http.MethodGet, "/account/brand", s.getBrand).
			named("getBrand", tagAccount, "Get brand",
				"How the tenant shows itself on the pages that people without a login see: its name, its colour, its logo.").
			can(errorsOfList...),
		opBody(http.MethodPatch, "/account/brand", s.patchBrand).
			named("patchBrand", tagAccount, "Update brand",
				"Changes what is sent. The pages of links show it when they are loaded.").
			admin().can(errorsOfList...),
		op(http.MethodGet, "/connection/{connection_id}/settings", s.getConnectionSettings).
			named("getConnectionSettings", tagConnection, "Get connection settings",
				"What is set for a connection, and what holds for its devices that have set nothing: the connection's own setting before the tenant's, before the default. PATCH /connection/{connection_id} sets it.").
			can(errorsOfOne...).missing(guard.UnknownConnection),
		op(http.MethodGet, "/device/{device_id}/settings", s.getDeviceSettings).
			named("getDeviceSettings", tagDevice, "Get device settings",
				"What is set for a device, and what holds for it: the device's own setting before the connection's, before the tenant's, before the default.").
			can(errorsOfOne...).missing(guard.UnknownDevice),
		opBody(http.MethodPatch, "/device/{device_id}/settings", s.patchDeviceSettings).
			named("patchDeviceSettings", tagDevice, "Update device settings",
				"Changes the settings that are sent. They hold for trips that are derived from then on; POST /trip-recompute derives earlier ones again.").
			can(errorsOfOne...).missing(guard.UnknownDevice),
	}
}

func (s *server) getAccountSettings(c *call) (drover.AccountSettings, error) {
	return s.Fleet.Account.AccountSettings(c.Context, c.principal)
}

func (s *server) patchAccountSettings(c *call, body drover.AccountSettingsUpdate) (drover.AccountSettings, error) {
	return s.Fleet.Account.UpdateAccountSettings(c.Context, c.principal, body)
}

func (s *server) getBrand(c *call) (drover.Brand, error) {
	return s.Fleet.Account.Brand(c.Context, c.principal)
}

func (s *server) patchBrand(c *call, body drover.BrandUpdate) (drover.Brand, error) {
	return s.Fleet.Account.UpdateBrand(c.Context, c.principal, body)
}

func (s *server) getConnectionSettings(c *call) (drover.ConnectionSettings, error) {
	return s.Fleet.Connections.ConnectionSettings(c.Context, c.principal, c.PathValue("connection_id"))
}

func (s *server) getDeviceSettings(c *call) (drover.DeviceSettings, error) {
	return s.Fleet.Devices.DeviceSettings(c.Context, c.principal, c.PathValue("device_id"))
}

func (s *server) patchDeviceSettings(c *call, body drover.DeviceSettingsUpdate) (drover.DeviceSettings, error) {
	return s.Fleet.Devices.UpdateDeviceSettings(c.Context, c.principal, c.PathValue("device_id"), body)
}
