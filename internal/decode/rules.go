package decode

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/drover-fleet/drover"
)

// rules is what the tags of a field ask of its value. A nil pointer asks
// nothing.
type rules struct {
	minLength, maxLength *int
	minItems, maxItems   *int
	maxProperties        *int
	minimum, maximum     *bound
	enum                 []string
	blank                bool // white space alone counts where an empty text is refused
	trimmed              bool // white space around a text does not count for its length
	nullable             bool // null counts as the zero value
	notNull              bool // null is refused where the type would take it
}

// bound is a limit of a number, with the text that messages show.
type bound struct {
	value float64
	text  string
}

// unchecked lists the tags that the OpenAPI document would show as rules and
// that no request has needed so far.
var unchecked = [...]string{
	"pattern", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"uniqueItems", "minProperties", "dependentRequired",
}

func rulesOf(tag reflect.StructTag) (rules, error) {
	for _, name := range unchecked {
		if _, ok := tag.Lookup(name); ok {
			return rules{}, fmt.Errorf("tag %s is not checked", name)
		}
	}
	r := rules{
		blank: tag.Get("blank") == "true", trimmed: tag.Get("trimmed") == "true", nullable: tag.Get("nullable") == "true",
		notNull: tag.Get("nullable") == "false",
	}
	if list := tag.Get("enum"); list != "" {
		for option := range strings.SplitSeq(list, ",") {
			r.enum = append(r.enum, strings.TrimSpace(option))
		}
	}
	for name, to := range map[string]**int{
		"minLength": &r.minLength, "maxLength": &r.maxLength,
		"minItems": &r.minItems, "maxItems": &r.maxItems,
		"maxProperties": &r.maxProperties,
	} {
		if err := intTag(tag, name, to); err != nil {
			return rules{}, err
		}
	}
	for name, to := range map[string]**bound{"minimum": &r.minimum, "maximum": &r.maximum} {
		if err := boundTag(tag, name, to); err != nil {
			return rules{}, err
		}
	}
	return r, nil
}

func intTag(tag reflect.StructTag, name string, to **int) error {
	text, ok := tag.Lookup(name)
	if !ok {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("tag %s: %w", name, err)
	}
	*to = &n
	return nil
}

func boundTag(tag reflect.StructTag, name string, to **bound) error {
	text, ok := tag.Lookup(name)
	if !ok {
		return nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("tag %s: %w", name, err)
	}
	*to = &bound{value: n, text: text}
	return nil
}

// items returns the rules for the items of a list. As in the OpenAPI document,
// an enum and a length on a list are meant for its items and all else for the list.
func (r rules) items() rules { return rules{enum: r.enum, maxLength: r.maxLength, trimmed: r.trimmed} }

// forType adds the closed set that t stands for, where it is one of the
// domain's and the field has no narrower enum.
func (d *Decoder) forType(r rules, t reflect.Type) rules {
	switch {
	case r.enum != nil:
	case t == reflect.TypeFor[drover.ProviderName]():
		r.enum = texts(d.providers)
	default:
		r.enum = ClosedSet(t)
	}
	return r
}

// ClosedSet is the one place that ties the domain's enumerations to their
// values, for what is read and for the document. Types without a closed set have
// nil.
func ClosedSet(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[drover.ProviderName]():
		return texts(drover.ProviderNames)
	case reflect.TypeFor[drover.MilestoneStatus]():
		return texts(drover.MilestoneStatuses)
	case reflect.TypeFor[drover.Role]():
		return texts(drover.Roles)
	case reflect.TypeFor[drover.NewUsers]():
		return texts(drover.NewUsersKinds)
	case reflect.TypeFor[drover.Permission]():
		return texts(drover.Permissions)
	case reflect.TypeFor[drover.ConnectionLinkState]():
		return texts(drover.ConnectionLinkStates)
	case reflect.TypeFor[drover.SessionKind]():
		return texts(drover.SessionKinds)
	case reflect.TypeFor[drover.ActorType]():
		return texts(drover.ActorTypes)
	case reflect.TypeFor[drover.KeyOwner]():
		return texts(drover.KeyOwners)
	case reflect.TypeFor[drover.AuditOutcome]():
		return texts(drover.AuditOutcomes)
	case reflect.TypeFor[drover.EventType]():
		return texts(drover.EventTypes)
	case reflect.TypeFor[drover.ReadingKind]():
		return texts(drover.ReadingKinds)
	case reflect.TypeFor[drover.ReadingSource]():
		return texts(drover.ReadingSources)
	case reflect.TypeFor[drover.FaultProtocol]():
		return texts(drover.FaultProtocols)
	case reflect.TypeFor[drover.FaultStatus]():
		return texts(drover.FaultStatuses)
	case reflect.TypeFor[drover.FaultSeverity]():
		return texts(drover.FaultSeverities)
	case reflect.TypeFor[drover.FaultClosing]():
		return texts(drover.FaultClosings)
	case reflect.TypeFor[drover.SafetyType]():
		return texts(drover.SafetyTypes)
	case reflect.TypeFor[drover.SafetyStatus]():
		return texts(drover.SafetyStatuses)
	case reflect.TypeFor[drover.SafetySeverity]():
		return texts(drover.SafetySeverities)
	case reflect.TypeFor[drover.SafetyMethod]():
		return texts(drover.SafetyMethods)
	case reflect.TypeFor[drover.Lamp]():
		return texts(drover.Lamps)
	case reflect.TypeFor[drover.RecordType]():
		return texts(drover.RecordTypes)
	case reflect.TypeFor[drover.RecordState]():
		return texts(drover.RecordStates)
	case reflect.TypeFor[drover.DeviceState]():
		return texts(drover.DeviceStates)
	case reflect.TypeFor[drover.Party]():
		return texts(drover.Parties)
	case reflect.TypeFor[drover.Quota]():
		return texts(drover.Quotas())
	case reflect.TypeFor[drover.TripSource]():
		return texts(drover.TripSources)
	case reflect.TypeFor[drover.SearchKind]():
		return texts(drover.SearchKinds)
	case reflect.TypeFor[drover.CodeClass]():
		return texts(drover.CodeClasses)
	case reflect.TypeFor[drover.DeliveryState]():
		return texts(drover.DeliveryStates)
	case reflect.TypeFor[drover.ExportKind]():
		return texts(drover.ExportKinds)
	case reflect.TypeFor[drover.ExportFormat]():
		return texts(drover.ExportFormats)
	case reflect.TypeFor[drover.ExportState]():
		return texts(drover.ExportStates)
	case reflect.TypeFor[drover.TenantState]():
		return texts(drover.TenantStates)
	}
	return nil
}

func texts[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// checkLength counts characters, as the OpenAPI document means it.
func (r rules) checkLength(n int) error {
	if r.minLength != nil && n < *r.minLength {
		return drover.Invalid("string_too_short", "String should have at least "+count(*r.minLength, "character"))
	}
	if r.maxLength != nil && n > *r.maxLength {
		return drover.Invalid("string_too_long", "String should have at most "+count(*r.maxLength, "character"))
	}
	return nil
}

func (r rules) checkItems(n int) error {
	if r.minItems != nil && n < *r.minItems {
		return drover.Invalid("too_short", fmt.Sprintf("List should have at least %s after validation, not %d", count(*r.minItems, "item"), n))
	}
	if r.maxItems != nil && n > *r.maxItems {
		return drover.Invalid("too_long", fmt.Sprintf("List should have at most %s after validation, not %d", count(*r.maxItems, "item"), n))
	}
	return nil
}

func (r rules) checkProperties(n int) error {
	if r.maxProperties != nil && n > *r.maxProperties {
		return drover.Invalid("too_long", fmt.Sprintf("Dictionary should have at most %s after validation, not %d",
			count(*r.maxProperties, "item"), n))
	}
	return nil
}

func (r rules) checkRange(n float64) error {
	if r.minimum != nil && n < r.minimum.value {
		return tooSmall(r.minimum.text)
	}
	if r.maximum != nil && n > r.maximum.value {
		return tooLarge(r.maximum.text)
	}
	return nil
}

func tooSmall(limit string) error {
	return drover.Invalid("greater_than_equal", "Input should be greater than or equal to "+limit)
}

func tooLarge(limit string) error {
	return drover.Invalid("less_than_equal", "Input should be less than or equal to "+limit)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// notOneOf is the refusal of a value outside a closed set. The options are
// shown as they are given; texts come quoted.
func notOneOf(options []string) error {
	last := len(options) - 1
	list := options[last]
	if last > 0 {
		list = strings.Join(options[:last], ", ") + " or " + list
	}
	return drover.Invalid("enum", "Input should be "+list)
}

func quoted(options []string) []string {
	out := make([]string, len(options))
	for i, option := range options {
		out[i] = "'" + option + "'"
	}
	return out
}
