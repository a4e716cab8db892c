package drover

import (
	"slices"
	"strings"
)

// ProviderName is the name of a supported telematics provider. The set is closed, except for
// further providers that the operator enables.
type ProviderName string

// The twenty providers.
const (
	Automile       ProviderName = "automile"
	Bouncie        ProviderName = "bouncie"
	Cartrack       ProviderName = "cartrack"
	Flespi         ProviderName = "flespi"
	Geotab         ProviderName = "geotab"
	GPSWOX         ProviderName = "gpswox"
	JohnDeere      ProviderName = "john_deere"
	MixTelematics  ProviderName = "mix_telematics"
	Motive         ProviderName = "motive"
	Navixy         ProviderName = "navixy"
	Ruptela        ProviderName = "ruptela"
	Samsara        ProviderName = "samsara"
	Scania         ProviderName = "scania"
	TeletracNavman ProviderName = "teletrac_navman"
	Traccar        ProviderName = "traccar"
	Trackunit      ProviderName = "trackunit"
	VerizonConnect ProviderName = "verizon_connect"
	VolvoTrucks    ProviderName = "volvo_trucks"
	Webfleet       ProviderName = "webfleet"
	Wialon         ProviderName = "wialon"
)

// ProviderNames lists the closed set in alphabetical order.
var ProviderNames = []ProviderName{
	Automile, Bouncie, Cartrack, Flespi, Geotab, GPSWOX, JohnDeere, MixTelematics, Motive, Navixy,
	Ruptela, Samsara, Scania, TeletracNavman, Traccar, Trackunit, VerizonConnect, VolvoTrucks, Webfleet, Wialon,
}

// Providers beyond the closed set.
const (
	// ProviderISO15143 is any manufacturer of machines that serves ISO 15143-3.
	ProviderISO15143 ProviderName = "iso15143"
	// ProviderPush is for records that a tenant's own programs send.
	ProviderPush ProviderName = "push"
	// ProviderRFMS is any manufacturer of trucks that serves rFMS.
	ProviderRFMS ProviderName = "rfms"
)

// ExtraProviderNames lists the providers that the operator can enable beyond the closed set.
// A provider that is not enabled is in no enumeration and cannot be connected to.
var ExtraProviderNames = []ProviderName{ProviderISO15143, ProviderPush, ProviderRFMS}

// ParseProviderName checks that text is one of the set.
func ParseProviderName(text string) (ProviderName, error) {
	if name := ProviderName(text); slices.Contains(ProviderNames, name) {
		return name, nil
	}
	quoted := make([]string, len(ProviderNames))
	for i, name := range ProviderNames {
		quoted[i] = "'" + string(name) + "'"
	}
	last := len(quoted) - 1
	return "", Invalid("enum", "Input should be "+strings.Join(quoted[:last], ", ")+" or "+quoted[last])
}
