package openapi

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drover-fleet/drover"
)

// shape is what the data of some types of events is, and what a webhook receives of
// it where that differs.
type shape struct {
	name  string
	types []drover.EventType
	data  reflect.Type
	sent  reflect.Type
}

var shapes = []shape{
	{"DeviceEvent", []drover.EventType{drover.EventDeviceCreated, drover.EventDeviceUpdated}, reflect.TypeFor[drover.Device](), nil},
	{"DeviceStateEvent", []drover.EventType{drover.EventDeviceStateChanged}, reflect.TypeFor[drover.StateChange](), nil},
	{
		"PositionEvent",
		[]drover.EventType{drover.EventPositionUpdated},
		reflect.TypeFor[drover.PositionBatch](),
		reflect.TypeFor[drover.SentBatch](),
	},
	{"ReadingEvent", []drover.EventType{drover.EventReadingUpdated}, reflect.TypeFor[drover.ReadingBatch](), nil},
	{"FaultEvent", []drover.EventType{drover.EventFaultOpened, drover.EventFaultClosed}, reflect.TypeFor[drover.Fault](), nil},
	{
		"SafetyEventEvent",
		[]drover.EventType{drover.EventSafetyRecorded, drover.EventSafetyUpdated},
		reflect.TypeFor[drover.SafetyEvent](), nil,
	},
	{"TripEvent", []drover.EventType{drover.EventTripCompleted, drover.EventTripUpdated}, reflect.TypeFor[drover.Trip](), nil},
	{"DriverEvent", []drover.EventType{drover.EventDriverCreated, drover.EventDriverUpdated}, reflect.TypeFor[drover.DriverNotice](), nil},
	{
		"MilestoneEvent",
		[]drover.EventType{drover.EventMilestoneCreated, drover.EventMilestoneUpdated, drover.EventMilestoneDeleted},
		reflect.TypeFor[drover.Milestone](), nil,
	},
	{
		"MilestoneStepEvent",
		[]drover.EventType{drover.EventMilestoneStarted, drover.EventMilestoneEntered, drover.EventMilestoneEnded, drover.EventMilestoneTimedOut},
		reflect.TypeFor[drover.MilestoneStep](), nil,
	},
	{
		"MilestoneLatenessEvent",
		[]drover.EventType{drover.EventMilestoneLate, drover.EventMilestoneOnTime},
		reflect.TypeFor[drover.MilestoneLateness](), nil,
	},
	{
		"ConnectionEvent",
		[]drover.EventType{drover.EventConnectionCreated, drover.EventConnectionUpdated, drover.EventConnectionDeleted},
		reflect.TypeFor[drover.Connection](), nil,
	},
	{
		"ConnectionFailureEvent",
		[]drover.EventType{drover.EventConnectionFailing, drover.EventConnectionRecovered},
		reflect.TypeFor[drover.ConnectionFailure](), nil,
	},
	{
		"ConnectionDoubtEvent",
		[]drover.EventType{drover.EventConnectionDoubtful, drover.EventConnectionTrusted},
		reflect.TypeFor[drover.ConnectionDoubt](), nil,
	},
	{"CoverageLossEvent", []drover.EventType{drover.EventCoverageLost}, reflect.TypeFor[drover.CoverageLoss](), nil},
	{"WebhookDisabledEvent", []drover.EventType{drover.EventWebhookDisabled}, reflect.TypeFor[drover.WebhookDisabled](), nil},
}

// addData adds the schemas of what events say, before the schemas are tidied.
func addData(registry huma.Registry) {
	for _, s := range shapes {
		registry.Schema(s.data, true, "")
		if s.sent != nil {
			registry.Schema(s.sent, true, "")
		}
	}
	registry.Schema(reflect.TypeFor[drover.WebhookTest](), true, "")
}

// tellEvents makes of Event a choice by its type. A type that no shape is known of has
// data of any kind.
func tellEvents(registry huma.Registry) {
	schemas := registry.Map()
	whole, ok := schemas["Event"]
	if !ok {
		return
	}
	choice := &huma.Schema{
		Description:   schemaWords["Event"],
		Discriminator: &huma.Discriminator{PropertyName: "type", Mapping: map[string]string{}},
	}
	add := func(name, words string, types []drover.EventType, data *huma.Schema) {
		one := *whole
		one.Properties = maps.Clone(whole.Properties)
		one.Properties["type"] = &huma.Schema{Type: huma.TypeString, Enum: anys(types), Description: propertyWords["type"]}
		one.Properties["data"], one.Description = data, words
		schemas[name] = &one
		choice.OneOf = append(choice.OneOf, &huma.Schema{Ref: schemaPrefix + name})
		for _, typ := range types {
			choice.Discriminator.Mapping[string(typ)] = schemaPrefix + name
		}
	}
	for _, s := range shapes {
		ref := registry.Schema(s.data, true, "")
		add(s.name, "An event whose data is a "+ref.Ref[len(schemaPrefix):]+".", s.types,
			&huma.Schema{Ref: ref.Ref, Description: propertyWords["data"]})
	}
	if rest := shapeless(); len(rest) > 0 {
		add("OtherEvent", "An event whose data is an object.", rest, &huma.Schema{Type: huma.TypeObject, Description: propertyWords["data"]})
	}
	schemas["Event"] = choice
}

// shapeless are the types of events that no shape is known of.
func shapeless() []drover.EventType {
	return slices.DeleteFunc(slices.Clone(drover.EventTypes), func(typ drover.EventType) bool {
		return slices.ContainsFunc(shapes, func(s shape) bool { return slices.Contains(s.types, typ) })
	})
}

// tellTests says that a delivery may also be a test, which is no event.
func tellTests(registry huma.Registry) {
	for name, s := range registry.Map() {
		if typ := s.Properties["type"]; strings.HasPrefix(name, "Delivery") && typ != nil && typ.Ref != "" {
			s.Properties["type"] = &huma.Schema{Description: typ.Description, AnyOf: []*huma.Schema{
				{Ref: typ.Ref}, {Type: huma.TypeString, Enum: []any{"webhook.test"}},
			}}
		}
	}
}

// tellStates makes of the update record a choice of its two variants: the arrival is
// known, or the newest position is too old to tell.
func tellStates(registry huma.Registry) {
	schemas := registry.Map()
	whole, ok := schemas["MilestoneUpdateRecord"]
	if !ok {
		return
	}
	variant := func(words string, eta *huma.Schema) *huma.Schema {
		one := *whole
		one.Properties = maps.Clone(whole.Properties)
		one.Properties["eta"], one.Description = eta, words
		if eta.Nullable {
			distance := *one.Properties["distance_to_destination_km"]
			distance.Description = "Null: the distance that remains is not known."
			one.Properties["distance_to_destination_km"] = &distance
		}
		return &one
	}
	schemas[string(drover.MilestoneValidState)] = variant("The arrival is known: predicted or, after the journey, the real one.",
		&huma.Schema{Type: huma.TypeString, Format: "date-time", Description: "When the device is expected to arrive, or did."})
	schemas[string(drover.MilestoneTimeoutState)] = variant("The newest position is too old, or there is none, so the arrival is not known.",
		// Not of the type null alone, of which some generators make no field at all.
		&huma.Schema{Type: huma.TypeString, Nullable: true, MaxLength: new(0), Description: "Always null."})
	schemas["MilestoneUpdateRecord"] = &huma.Schema{Description: schemaWords["MilestoneUpdateRecord"], AnyOf: []*huma.Schema{
		{Ref: schemaPrefix + string(drover.MilestoneValidState)}, {Ref: schemaPrefix + string(drover.MilestoneTimeoutState)},
	}}
}

// webhooks describes what is sent to webhooks, an entry for each type of event.
func webhooks(registry huma.Registry) map[string]*huma.PathItem {
	out := map[string]*huma.PathItem{}
	add := func(typ, words string, data, sequence *huma.Schema) {
		body := &huma.Schema{
			Type: huma.TypeObject, Required: []string{"type", "timestamp", "sequence", "data"}, Description: "The body of a delivery.",
			Properties: map[string]*huma.Schema{
				"type":      {Type: huma.TypeString, Enum: []any{typ}, Description: propertyWords["type"]},
				"timestamp": {Type: huma.TypeString, Format: "date-time", Description: propertyWords["timestamp"]},
				"sequence":  sequence, "data": data,
			},
		}
		out[typ] = &huma.PathItem{Post: &huma.Operation{
			Method: http.MethodPost, OperationID: "on" + typ, Tags: []string{"Webhooks"}, Summary: typ,
			Description: words + " Signed as Standard Webhooks 1.0 has it.",
			Security:    []map[string][]string{},
			Parameters: []*huma.Param{
				HeaderParam("webhook-id", "Id of the event: the same for every attempt."), HeaderParam("webhook-timestamp", "Seconds since 1970."),
				HeaderParam("webhook-signature", "One or two signatures, each v1 and a comma before it."),
			},
			RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: body}}},
			Responses: map[string]*huma.Response{
				"2XX": {Description: "Any success ends the delivery."}, "410": {Description: "The target is switched off at once."},
				"4XX": {Description: "It is tried again."},
			},
		}}
	}
	number := &huma.Schema{Type: huma.TypeInteger, Format: "int64", Description: propertyWords["sequence"]}
	for _, s := range shapes {
		data := &huma.Schema{Ref: registry.Schema(s.data, true, "").Ref, Description: propertyWords["data"]}
		if s.sent != nil {
			data = inline(registry, s.sent)
		}
		for _, typ := range s.types {
			add(string(typ), "Sent when "+string(typ)+" is stored in the tenant's feed.", data, number)
		}
	}
	for _, typ := range shapeless() {
		add(string(typ), "Sent when "+string(typ)+" is stored in the tenant's feed.",
			&huma.Schema{Type: huma.TypeObject, Description: propertyWords["data"]}, number)
	}
	test := inline(registry, reflect.TypeFor[drover.WebhookTest]())
	add("webhook.test", "Sent on POST /webhook/{webhook_id}/test.", test, &huma.Schema{Type: "null", Description: "A test is no event."})
	for _, name := range sentAlone {
		delete(registry.Map(), name)
	}
	return out
}

// sentAlone are schemas that nothing but webhooks has. They stand where they are used:
// generators drop what no operation refers to.
var sentAlone = []string{"SentBatch", "SentDevicePosition", "WebhookTest"}

func inline(registry huma.Registry, t reflect.Type) *huma.Schema {
	schema := *registry.Map()[registry.Schema(t, true, "").Ref[len(schemaPrefix):]]
	schema.Properties = maps.Clone(schema.Properties)
	for name, property := range schema.Properties {
		if property.Items != nil && slices.Contains(sentAlone, strings.TrimPrefix(property.Items.Ref, schemaPrefix)) {
			list := *property
			list.Items = registry.Map()[property.Items.Ref[len(schemaPrefix):]]
			schema.Properties[name] = &list
		}
	}
	return &schema
}
