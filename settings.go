package drover

import "cmp"

// TripRules are the thresholds for deriving trips, as set for a tenant, a connection or a
// device. Nil means the wider setting.
type TripRules struct {
	StopSeconds       *int     `json:"stop_seconds"`
	IdleSeconds       *int     `json:"idle_seconds"`
	GapSeconds        *int     `json:"gap_seconds"`
	RadiusMetres      *float64 `json:"radius_metres"`
	MinDistanceMetres *float64 `json:"min_distance_metres"`
	MovingKPH         *float64 `json:"moving_kph"`
}

// TripRulesUpdate changes the rules that are sent; null returns a rule to the wider setting.
type TripRulesUpdate struct {
	StopSeconds       Optional[int]     `json:"stop_seconds" required:"false" minimum:"60" maximum:"3600" doc:"How long a vehicle stops with nothing running until its trip is over."`
	IdleSeconds       Optional[int]     `json:"idle_seconds" required:"false" minimum:"60" maximum:"21600" doc:"The same with the engine or an auxiliary running."`
	GapSeconds        Optional[int]     `json:"gap_seconds" required:"false" minimum:"300" maximum:"10800" doc:"How long a silence ends a trip, unless the vehicle drove through it."`
	RadiusMetres      Optional[float64] `json:"radius_metres" required:"false" minimum:"10" maximum:"500" doc:"How far from its place a vehicle is still in it: twice as far where no speed is known, four times with the ignition off."`
	MinDistanceMetres Optional[float64] `json:"min_distance_metres" required:"false" minimum:"10" maximum:"10000" doc:"How far a trip gets away from its start at the least."`
	MovingKPH         Optional[float64] `json:"moving_kph" required:"false" minimum:"1" maximum:"20" doc:"From which speed on a vehicle moves. Less for machines that are slow by nature."`
}

// Apply returns r with the update's rules set.
func (u TripRulesUpdate) Apply(r TripRules) TripRules {
	u.StopSeconds.Apply(&r.StopSeconds)
	u.IdleSeconds.Apply(&r.IdleSeconds)
	u.GapSeconds.Apply(&r.GapSeconds)
	u.RadiusMetres.Apply(&r.RadiusMetres)
	u.MinDistanceMetres.Apply(&r.MinDistanceMetres)
	u.MovingKPH.Apply(&r.MovingKPH)
	return r
}

// ApplyTripRules returns rules with an update as it was sent: absent, null or a value.
func ApplyTripRules(u Optional[TripRulesUpdate], r TripRules) TripRules {
	switch {
	case !u.Set:
		return r
	case u.Value == nil:
		return TripRules{}
	}
	return u.Value.Apply(r)
}

// SettingSource is where a setting comes from.
type SettingSource string

// The sources of a setting, the widest first.
const (
	FromDefault    SettingSource = "default"
	FromTenant     SettingSource = "tenant"
	FromConnection SettingSource = "connection"
	FromDevice     SettingSource = "device"
)

// ChosenSeconds is a time in force, and where it is set.
type ChosenSeconds struct {
	Value  int           `json:"value"`
	Source SettingSource `json:"source" enum:"default,tenant,connection,device"`
}

// ChosenMetres is a distance in force, and where it is set.
type ChosenMetres struct {
	Value  float64       `json:"value"`
	Source SettingSource `json:"source" enum:"default,tenant,connection,device"`
}

// ChosenSpeed is a speed in km/h in force, and where it is set.
type ChosenSpeed struct {
	Value  float64       `json:"value"`
	Source SettingSource `json:"source" enum:"default,tenant,connection,device"`
}

// EffectiveTripRules are the rules in force.
type EffectiveTripRules struct {
	StopSeconds       ChosenSeconds `json:"stop_seconds"`
	IdleSeconds       ChosenSeconds `json:"idle_seconds"`
	GapSeconds        ChosenSeconds `json:"gap_seconds"`
	RadiusMetres      ChosenMetres  `json:"radius_metres"`
	MinDistanceMetres ChosenMetres  `json:"min_distance_metres"`
	MovingKPH         ChosenSpeed   `json:"moving_kph"`
}

// Narrow returns the rules with those of a narrower setting applied.
func (e EffectiveTripRules) Narrow(r TripRules, source SettingSource) EffectiveTripRules {
	seconds := func(to *ChosenSeconds, v *int) {
		if v != nil {
			*to = ChosenSeconds{*v, source}
		}
	}
	metres := func(to *ChosenMetres, v *float64) {
		if v != nil {
			*to = ChosenMetres{*v, source}
		}
	}
	seconds(&e.StopSeconds, r.StopSeconds)
	seconds(&e.IdleSeconds, r.IdleSeconds)
	seconds(&e.GapSeconds, r.GapSeconds)
	metres(&e.RadiusMetres, r.RadiusMetres)
	metres(&e.MinDistanceMetres, r.MinDistanceMetres)
	if r.MovingKPH != nil {
		e.MovingKPH = ChosenSpeed{*r.MovingKPH, source}
	}
	return e
}

// ChosenZone is the time zone in force, and where it is set.
type ChosenZone struct {
	Value  string        `json:"value"`
	Source SettingSource `json:"source" enum:"default,tenant,connection,device"`
}

// Settings are what a tenant or a device has set for itself. Only a tenant has a time
// zone.
type Settings struct {
	TripRules TripRules `json:"trip_rules"`
	TimeZone  string    `json:"time_zone,omitempty"`
}

// AccountSettings are a tenant's settings.
type AccountSettings struct {
	TimeZone           *string            `json:"time_zone" doc:"The zone of the tenant's days, as an IANA name; null where it is UTC."`
	TripRules          TripRules          `json:"trip_rules" doc:"What the tenant has set; of the others the default holds."`
	EffectiveTripRules EffectiveTripRules `json:"effective_trip_rules" doc:"What holds for a device whose connection and which itself have set nothing."`
}

// AccountSettingsUpdate changes what is sent.
type AccountSettingsUpdate struct {
	TimeZone  Optional[string]          `json:"time_zone" required:"false" maxLength:"64" doc:"IANA name such as Europe/Berlin; null is UTC. The days are summed up again in the background."`
	TripRules Optional[TripRulesUpdate] `json:"trip_rules" required:"false" doc:"Null takes all rules back."`
}

// ConnectionSettings are the settings of a connection.
type ConnectionSettings struct {
	ConnectionID       string             `json:"connection_id"`
	Trips              TripSource         `json:"trips"`
	TimeZone           ChosenZone         `json:"time_zone" doc:"The zone of its devices' days: its own, or else the tenant's."`
	TripRules          TripRules          `json:"trip_rules" doc:"What is set for the connection; of the others a wider setting holds."`
	EffectiveTripRules EffectiveTripRules `json:"effective_trip_rules" doc:"What holds for a device that has set nothing, and who has set it."`
}

// DeviceSettings are the settings of a device.
type DeviceSettings struct {
	DeviceID           string             `json:"device_id"`
	Trips              TripSource         `json:"trips"`
	TimeZone           ChosenZone         `json:"time_zone" doc:"The zone of the device's days: its connection's, or else the tenant's."`
	TripRules          TripRules          `json:"trip_rules" doc:"What is set for the device; of the others a wider setting holds."`
	EffectiveTripRules EffectiveTripRules `json:"effective_trip_rules" doc:"What holds, and who has set it."`
}

// DeviceSettingsUpdate changes what is sent.
type DeviceSettingsUpdate struct {
	TripRules Optional[TripRulesUpdate] `json:"trip_rules" required:"false" doc:"Null takes all rules back."`
}

// ConfigurationUpdate changes the settings that a tenant may choose in a connection's
// configuration. Other fields, sent back as they were read, are ignored.
type ConfigurationUpdate struct {
	Trips     Optional[TripSource]      `json:"trips" required:"false" nullable:"false" doc:"Trips as the provider reports them, or derived from positions."`
	TripRules Optional[TripRulesUpdate] `json:"trip_rules" required:"false" doc:"Null takes all rules back."`
	Units     Optional[Units]           `json:"units" required:"false" doc:"What the provider's numbers are in, as a whole. Null leaves them to the adapter."`
	TimeZone  Optional[string]          `json:"time_zone" required:"false" maxLength:"64" doc:"IANA name of the zone of its devices' days; null leaves it to the tenant."`

	SafetyTypes Optional[map[string]string] `json:"safety_types" required:"false" maxProperties:"100" maxLength:"255" doc:"What the provider's own words for safety events mean, as a whole: the type of a native_type. It holds for events that come from then on. Null takes all back."`
}

// apply returns c with the update's fields set.
func (u ConfigurationUpdate) apply(c Configuration) Configuration {
	u.Trips.ApplyValue(&c.Trips)
	u.Units.Apply(&c.Units)
	u.TimeZone.Apply(&c.TimeZone)
	if u.SafetyTypes.Set {
		c.SafetyTypes = nil
		if u.SafetyTypes.Value != nil && len(*u.SafetyTypes.Value) > 0 {
			c.SafetyTypes = map[string]SafetyType{}
			for word, typ := range *u.SafetyTypes.Value {
				c.SafetyTypes[word] = SafetyType(typ)
			}
		}
	}
	rules := ApplyTripRules(u.TripRules, *cmp.Or(c.TripRules, &TripRules{}))
	c.TripRules = nil
	if rules != (TripRules{}) {
		c.TripRules = &rules
	}
	return c
}

// SameText reports whether both are nil, or the same text.
func SameText(a, b *string) bool { return same(a, b) }
