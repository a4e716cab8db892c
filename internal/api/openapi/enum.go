package openapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/decode"
)

// enum is a closed set that has a name of its own in the document.
type enum struct {
	name, words string
	values      []any
}

// enums are the closed sets that are named otherwise than their Go types, or have
// values that no one reads from a request. The others are those of package decode.
var enums = map[reflect.Type]enum{
	reflect.TypeFor[drover.ProviderName](): {"ProviderEnum", "The telematics providers.", nil},
	reflect.TypeFor[drover.ConnectionState](): {"ConnectionState", "How a connection is doing.", anys([]drover.ConnectionState{
		drover.ConnectionPending, drover.ConnectionHealthy, drover.ConnectionDegraded, drover.ConnectionFailing, drover.ConnectionDisabled,
		drover.ConnectionArchived, drover.ConnectionStalled,
	})},
	reflect.TypeFor[drover.ShareState](): {
		"ShareState", "How far a share has come.",
		anys([]drover.ShareState{drover.ShareOffered, drover.ShareAccepted, drover.ShareExpired}),
	},
	reflect.TypeFor[drover.ShareScope](): {"ShareScope", "What is shared besides devices and trips.", anys(drover.ShareScopes)},
	reflect.TypeFor[drover.ReadingSource](): {
		"ReadingSource",
		"Who measures or counts: the vehicle, a part that was fitted, the tracker, or the provider, which computes it or lets a person set it.",
		anys(drover.ReadingSources),
	},
	reflect.TypeFor[drover.AssignmentMethod](): {"AssignmentMethod", "How it is known who drove.", anys(drover.AssignmentMethods)},
	reflect.TypeFor[drover.DriverKeyType]():    {"DriverKeyType", "What kind of key a driver has.", anys(drover.DriverKeyTypes)},
	reflect.TypeFor[drover.Offer]():            {"Offer", "Whether a connection can have a kind of reading, or faults.", anys(drover.Offers)},
	reflect.TypeFor[drover.TrackKind](): {
		"TrackKind", "What a device did during a part of its way; nothing is known of a hole.",
		anys([]drover.TrackKind{
			drover.TrackDriving, drover.TrackIdling, drover.TrackAuxiliary, drover.TrackStopped, drover.TrackHole,
		}),
	},
	reflect.TypeFor[drover.JobState](): {"JobState", "How far work in the background has come.", anys([]drover.JobState{
		drover.JobQueued, drover.JobRunning, drover.JobDone, drover.JobFailed, drover.JobCancelled,
	})},
	reflect.TypeFor[drover.PushState](): {
		"PushState", "Whether a provider's stream is open.",
		anys([]drover.PushState{drover.PushOpen, drover.PushClosed}),
	},
	reflect.TypeFor[drover.FactorStep](): {
		"FactorStep", "What has to be done about the second factor: it has to be set up, or shown.", anys(drover.FactorSteps),
	},
	reflect.TypeFor[drover.SettingSource](): {"SettingSource", "Where a value was set.", anys([]drover.SettingSource{
		drover.FromDefault, drover.FromTenant, drover.FromConnection, drover.FromDevice,
	})},
}

// enumWords are what the other closed sets are.
var enumWords = map[string]string{
	"MilestoneStatus": "How far a journey has come. It never goes back by itself.",
	"Role":            "What a user may do.",
	"NewUsers":        "What becomes of people who sign in by the provider and have no user yet.",
	"Permission":      "What a key or a caller may do.",
	"SessionKind":     "How a session was opened.",
	"ActorType":       "What kind of caller it was.",
	"KeyOwner":        "Whom an API key ends with.",
	"AuditOutcome":    "What came of it.",
	"EventType":       "What happened.",
	"DeviceState":     "What a device does; nothing was heard of a silent one for longer than it should take.",
	"Party":           "Someone who must act on the state of a connection.",
	"Quota":           "Something that a tenant may have a bounded amount of.",
	"TripSource":      "Whether trips are the provider's or derived from positions.",
	"DeliveryState":   "How far a delivery has come.",
	"ExportKind":      "What an export has the records of.",
	"ExportFormat":    "How the records of an export are written.",
	"ExportState":     "How far an export has come.",
	"TenantState":     "Whether a tenant may use the service.",
	"RecordType":      "What a record is about.",
	"RecordState":     "What became of a record.",
	"FaultProtocol":   "The language in which a vehicle reports a fault.",
	"FaultStatus":     "Whether a fault is there; a pending one is not confirmed yet.",
	"FaultSeverity":   "How bad a fault is, as the provider says.",
	"FaultClosing":    "By what a fault is known to be over.",
	"SafetyType":      "What kind of dangerous driving it is. Anything else is other.",
	"SafetyStatus":    "What a person at the provider has made of it.",
	"SafetySeverity":  "How bad it was, as the provider says.",
	"SafetyMethod":    "How it was found.",
	"Lamp":            "A lamp of the dashboard.",
	"ReadingKind":     "What a reading measures; the unit is in its name. Ignore kinds that you do not know: more may come.",
}

// enumOf finds the closed set of a type, that of its values where it is a list, a
// pointer or optional.
func enumOf(t reflect.Type) (enum, bool) {
	for {
		switch {
		case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice:
			t = t.Elem()
			continue
		case isOptional(t):
			f, _ := t.FieldByName("Value")
			t = f.Type
			continue
		}
		break
	}
	e, ok := enums[t]
	if !ok {
		e = enum{t.Name(), enumWords[t.Name()], nil}
	}
	if e.values == nil {
		e.values = anys(decode.ClosedSet(t))
	}
	return e, t.Kind() == reflect.String && len(e.values) > 0
}

// named lets a schema of a closed set, or of a list of its values, refer to the set's
// own schema, which is added to the registry.
func named(registry huma.Registry, schema *huma.Schema, t reflect.Type) *huma.Schema {
	e, ok := enumOf(t)
	if !ok {
		return schema
	}
	registry.Map()[e.name] = &huma.Schema{Type: huma.TypeString, Enum: e.values, Description: e.words}
	ref := &huma.Schema{Ref: schemaPrefix + e.name}
	if schema.Type == huma.TypeArray {
		schema.Items = ref
		return schema
	}
	ref.Description, ref.Default = schema.Description, schema.Default
	return ref
}
