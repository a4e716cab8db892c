package decode_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/decode"
)

type base struct {
	Kind string `json:"kind" enum:"truck, van,trailer"`
}

type point struct {
	Latitude float64 `json:"latitude" minimum:"-90" maximum:"90"`
}

// body has a field for each rule, in the order that faults are reported.
type body struct {
	base
	Name     string                       `json:"name" minLength:"1" maxLength:"3"`
	Code     *string                      `json:"code" minLength:"2"`
	Solo     *string                      `json:"solo" enum:"only"`
	Provider drover.ProviderName          `json:"provider" required:"false"`
	On       bool                         `json:"on" required:"false" default:"true"`
	Year     *int                         `json:"year" minimum:"1900" maximum:"2100"`
	Small    int32                        `json:"small,omitempty"`
	Big      int64                        `json:"big,omitzero"`
	Days     *int                         `json:"days" enum:"7,14"`
	Ratio    *float64                     `json:"ratio"`
	At       *drover.Time                 `json:"at"`
	Tags     []string                     `json:"tags" required:"false" minItems:"1" maxItems:"2"`
	Modes    []string                     `json:"modes" required:"false" enum:"a,b"`
	Words    []string                     `json:"words" required:"false" maxLength:"2"`
	Labels   drover.Optional[[]string]    `json:"labels" maxLength:"2" trimmed:"true"`
	Secrets  map[string]string            `json:"secrets" required:"false" maxProperties:"3" maxLength:"4"`
	Maybe    []string                     `json:"maybe" required:"false" nullable:"true"`
	Point    *point                       `json:"point"`
	Points   []point                      `json:"points" required:"false"`
	Label    drover.Optional[string]      `json:"label" maxLength:"2"`
	Where    drover.Optional[point]       `json:"where"`
	When     drover.Optional[drover.Time] `json:"when"`
	List     drover.Optional[[]string]    `json:"list" maxItems:"1"`
	Firm     drover.Optional[bool]        `json:"firm" nullable:"false"`
	Sure     *string                      `json:"sure" nullable:"false"`
	Raw      json.RawMessage              `json:"raw" required:"false"`
	Any      any                          `json:"any" required:"false"`
	Must     *string                      `json:"must" required:"true"`
	Status   drover.MilestoneStatus       `json:"status" required:"false"`
	Hidden   string                       `json:"-"`
}

// with returns a valid body with the given members put before the required
// ones.
func with(members string) string {
	if members != "" {
		members += ","
	}
	return `{` + members + `"kind":"van","name":"ab","must":null}`
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	const (
		noObject = "Input should be a valid dictionary or object to extract fields from"
		noInt    = "Input should be a valid integer"
		noText   = "Input should be a valid string"
		noNUL    = "Value error, string must not contain NUL characters"
		noNumber = "Input should be a valid number"
		tooBig   = "Unable to parse input string as an integer, exceeded maximum size"
	)
	type loc = []any
	tests := []struct {
		name, body, typ, msg string
		loc                  loc
	}{
		{"Empty", ``, "missing", "Field required", loc{}},
		{"Blank", "  ", "json_invalid", "JSON decode error", loc{2}},
		{"NotJSON", `{"a":}`, "json_invalid", "JSON decode error", loc{5}},
		{"Truncated", `{"a":1`, "json_invalid", "JSON decode error", loc{6}},
		{"TruncatedString", `{"a":"`, "json_invalid", "JSON decode error", loc{6}},
		{"Trailing", with("") + " x", "json_invalid", "JSON decode error", loc{len(with("")) + 1}},
		{"TrailingValue", with("") + "\n{}", "json_invalid", "JSON decode error", loc{len(with("")) + 1}},
		{"NaN", `{"ratio":NaN}`, "json_invalid", "JSON decode error", loc{9}},
		{"ByteOrderMark", "\ufeff{}", "json_invalid", "JSON decode error", loc{0}},
		{"BadUTF8", "{\"a\":\"\xff\"}", "json_invalid", "JSON decode error", loc{6}},
		{"BadUTF8LowestByte", "{\"a\":\"\x80\"}", "json_invalid", "JSON decode error", loc{6}},
		{"BadUTF8InKey", "{\"\xc3\":1}", "json_invalid", "JSON decode error", loc{2}},
		{"LoneHighSurrogate", `{"a":"x\ud83d"}`, "json_invalid", "JSON decode error", loc{7}},
		{"LoneLowSurrogate", `{"a":"\ude00x"}`, "json_invalid", "JSON decode error", loc{6}},
		{"SurrogatesSwapped", `{"a":"\ude00\ud83d"}`, "json_invalid", "JSON decode error", loc{6}},
		{"SurrogateThenOther", `{"a":"\ud83d\u0041"}`, "json_invalid", "JSON decode error", loc{6}},
		{"TooDeep", `{"a":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, "json_invalid", "JSON decode error", loc{5 + 63}},
		{"List", `[]`, "model_attributes_type", noObject, loc{}},
		{"Null", `null`, "model_attributes_type", noObject, loc{}},
		{"Text", `"x"`, "model_attributes_type", noObject, loc{}},
		{"DeclarationOrder", `{}`, "missing", "Field required", loc{"kind"}},
		{"Missing", `{"kind":"van"}`, "missing", "Field required", loc{"name"}},
		{"MissingPointer", `{"kind":"van","name":"a"}`, "missing", "Field required", loc{"must"}},
		{"CaseMatters", `{"kind":"van","Name":"a"}`, "missing", "Field required", loc{"name"}},
		{"LastOfRepeatedKey", `{"kind":"van","name":"a","name":1}`, "string_type", noText, loc{"name"}},
		{"Enum", `{"kind":"car"}`, "enum", "Input should be 'truck', 'van' or 'trailer'", loc{"kind"}},
		{"EnumOfOne", with(`"solo":"x"`), "enum", "Input should be 'only'", loc{"solo"}},
		{"EnumNull", `{"kind":null}`, "string_type", noText, loc{"kind"}},
		{"StringNull", `{"kind":"van","name":null}`, "string_type", noText, loc{"name"}},
		{"StringNumber", `{"kind":"van","name":1}`, "string_type", noText, loc{"name"}},
		{"StringTooShort", `{"kind":"van","name":""}`, "string_too_short", "String should have at least 1 character", loc{"name"}},
		{"StringBlank", `{"kind":"van","name":" \t "}`, "string_too_short", "String should have at least 1 character", loc{"name"}},
		{"PointerBlank", with(`"code":"   "`), "string_too_short", "String should have at least 2 characters", loc{"code"}},
		{"PointerTooShort", with(`"code":"é"`), "string_too_short", "String should have at least 2 characters", loc{"code"}},
		{"StringTooLong", `{"kind":"van","name":"éééé"}`, "string_too_long", "String should have at most 3 characters", loc{"name"}},
		{"StringNUL", `{"kind":"van","name":"a\u0000"}`, "value_error", noNUL, loc{"name"}},
		{"Provider", with(`"provider":"acme"`), "enum", providerWords(t), loc{"provider"}},
		{"Status", with(`"status":"done"`), "enum", "Input should be 'trip_not_started', 'trip_in_progress' or 'trip_ended'", loc{"status"}},
		{"Bool", with(`"on":"true"`), "bool_type", "Input should be a valid boolean", loc{"on"}},
		{"BoolNull", with(`"on":null`), "bool_type", "Input should be a valid boolean", loc{"on"}},
		{"IntBool", with(`"year":true`), "int_type", noInt, loc{"year"}},
		{"IntText", with(`"year":"x"`), "int_type", noInt, loc{"year"}},
		{"IntDigits", with(`"year":"2019"`), "int_type", noInt, loc{"year"}},
		{"IntFraction", with(`"year":2019.5`), "int_from_float", noInt + ", got a number with a fractional part", loc{"year"}},
		{"IntBelow", with(`"year":1899`), "greater_than_equal", "Input should be greater than or equal to 1900", loc{"year"}},
		{"IntAbove", with(`"year":2101`), "less_than_equal", "Input should be less than or equal to 2100", loc{"year"}},
		{"IntInfinite", with(`"year":1e999`), "finite_number", "Input should be a finite number", loc{"year"}},
		{"IntNull", with(`"small":null`), "int_type", noInt, loc{"small"}},
		{"Int32", with(`"small":2147483648`), "int_parsing_size", tooBig, loc{"small"}},
		{"Int64", with(`"big":9223372036854775808`), "int_parsing_size", tooBig, loc{"big"}},
		{"Int64Negative", with(`"big":-1e19`), "int_parsing_size", tooBig, loc{"big"}},
		{"IntEnum", with(`"days":8`), "enum", "Input should be 7 or 14", loc{"days"}},
		{"FloatText", with(`"ratio":"1"`), "float_type", noNumber, loc{"ratio"}},
		{"FloatBool", with(`"ratio":false`), "float_type", noNumber, loc{"ratio"}},
		{"FloatInfinite", with(`"ratio":-1e999`), "finite_number", "Input should be a finite number", loc{"ratio"}},
		{"TimeNumber", with(`"at":1700000000`), "datetime_type", "Input should be a valid datetime", loc{"at"}},
		{"TimeText", with(`"at":"soon"`), "datetime_parsing", "Input should be a valid datetime, invalid ISO 8601 date-time", loc{"at"}},
		{"ListType", with(`"tags":"a"`), "list_type", "Input should be a valid list", loc{"tags"}},
		{"ListNull", with(`"tags":null`), "list_type", "Input should be a valid list", loc{"tags"}},
		{"ListTooShort", with(`"tags":[]`), "too_short", "List should have at least 1 item after validation, not 0", loc{"tags"}},
		{"ListTooLong", with(`"tags":["a","b","c"]`), "too_long", "List should have at most 2 items after validation, not 3", loc{"tags"}},
		{"ListItem", with(`"tags":["a",null]`), "string_type", noText, loc{"tags", 1}},
		{"ListItemTooLong", with(`"words":["ab","abc"]`), "string_too_long", "String should have at most 2 characters", loc{"words", 1}},
		{"ListItemTooLongBySpace", with(`"words":["ab "]`), "string_too_long", "String should have at most 2 characters", loc{"words", 0}},
		{
			"TrimmedItemTooLong", with(`"labels":["  ab  "," abc "]`), "string_too_long", "String should have at most 2 characters",
			loc{"labels", 1},
		},
		{"ListEnum", with(`"modes":["a","c"]`), "enum", "Input should be 'a' or 'b'", loc{"modes", 1}},
		{"DictType", with(`"secrets":[]`), "dict_type", "Input should be a valid dictionary", loc{"secrets"}},
		{"DictValueSorted", with(`"secrets":{"b":1,"a":2}`), "string_type", noText, loc{"secrets", "a"}},
		{"DictValueTooLong", with(`"secrets":{"a":"ééééé"}`), "string_too_long", "String should have at most 4 characters", loc{"secrets", "a"}},
		{
			"DictKeyTooLong", with(`"secrets":{"ééééé":"a"}`), "string_too_long", "String should have at most 4 characters",
			loc{"secrets", "ééééé"},
		},
		{
			"DictTooLong", with(`"secrets":{"a":"","b":"","c":"","d":""}`), "too_long",
			"Dictionary should have at most 3 items after validation, not 4",
			loc{"secrets"},
		},
		{"DictNUL", with(`"secrets":{"a":"\u0000"}`), "value_error", noNUL, loc{"secrets", "a"}},
		{"DictKeyNUL", with(`"secrets":{"a\u0000":""}`), "value_error", noNUL, loc{"secrets", "a\x00"}},
		{"Struct", with(`"point":3`), "model_attributes_type", noObject, loc{"point"}},
		{"StructMissing", with(`"point":{}`), "missing", "Field required", loc{"point", "latitude"}},
		{"StructsMissing", with(`"points":[{"latitude":1},{}]`), "missing", "Field required", loc{"points", 1, "latitude"}},
		{
			"FloatBelow", with(`"point":{"latitude":-90.01}`), "greater_than_equal", "Input should be greater than or equal to -90",
			loc{"point", "latitude"},
		},
		{
			"FloatAbove", with(`"point":{"latitude":90.01}`), "less_than_equal", "Input should be less than or equal to 90",
			loc{"point", "latitude"},
		},
		{"OptionalType", with(`"label":1`), "string_type", noText, loc{"label"}},
		{"OptionalNotNull", with(`"firm":null,"raw":1`), "bool_type", "Input should be a valid boolean", loc{"firm"}},
		{"PointerNotNull", with(`"sure":null`), "string_type", noText, loc{"sure"}},
		{"OptionalTooLong", with(`"label":"abc"`), "string_too_long", "String should have at most 2 characters", loc{"label"}},
		{"OptionalStruct", with(`"where":{"latitude":"1"}`), "float_type", noNumber, loc{"where", "latitude"}},
		{"OptionalListItem", with(`"list":[1]`), "string_type", noText, loc{"list", 0}},
		{"OptionalList", with(`"list":["a","b"]`), "too_long", "List should have at most 1 item after validation, not 2", loc{"list"}},
		{"RawNUL", with(`"raw":{"x":["\u0000"]}`), "value_error", noNUL, loc{"raw", "x", 0}},
		{"AnyKeyNUL", with(`"any":{"\u0000":1}`), "value_error", noNUL, loc{"any", "\x00"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := decode.JSON([]byte(tt.body), new(body))
			got, ok := errors.AsType[*drover.Error](err)
			if !ok {
				t.Fatalf("JSON(%s) = %v, want a *drover.Error", tt.body, err)
			}
			want := drover.Invalid(tt.typ, tt.msg, append(loc{"body"}, tt.loc...)...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("JSON(%s) (-want +got):\n%s", tt.body, diff)
			}
		})
	}
}

func providerWords(t *testing.T) string {
	t.Helper()
	_, err := drover.ParseProviderName("acme")
	refusal, ok := errors.AsType[*drover.Error](err)
	if !ok {
		t.Fatal("the domain accepts acme as a provider")
	}
	return refusal.Message
}

func TestAccepts(t *testing.T) {
	t.Parallel()
	valid := body{base: base{Kind: "van"}, Name: "ab", On: true}
	tests := []struct {
		name, members string
		want          func(*body)
	}{
		{"Minimal", ``, func(*body) {}},
		{"UnknownIgnored", `"extra":{"deep":[1,"\u0000"]}`, func(*body) {}},
		{"LastOfRepeatedKey", `"year":1,"year":2000`, func(b *body) { b.Year = new(2000) }},
		{"DefaultOverridden", `"on":false`, func(b *body) { b.On = false }},
		{"PointerNull", `"code":null,"point":null,"at":null`, func(*body) {}},
		{"NullableNull", `"maybe":null`, func(*body) {}},
		{"Provider", `"provider":"geotab"`, func(b *body) { b.Provider = drover.Geotab }},
		{"WholeFloatIsInt", `"year":2019.0`, func(b *body) { b.Year = new(2019) }},
		{"ExponentIsInt", `"small":1e3`, func(b *body) { b.Small = 1000 }},
		{"IntEdges", `"big":-9223372036854775808,"small":2147483647`, func(b *body) { b.Big, b.Small = -1<<63, 1<<31-1 }},
		{"SmallestIntAsFloat", `"big":-9223372036854775808.0`, func(b *body) { b.Big = -1 << 63 }},
		{"IntEnum", `"days":14`, func(b *body) { b.Days = new(14) }},
		{"Float", `"ratio":1`, func(b *body) { b.Ratio = new(1.0) }},
		{"Time", `"at":"2024-05-01T10:00:00+02:00"`, func(b *body) {
			b.At = new(drover.At(time.Date(2024, 5, 1, 8, 0, 0, 0, time.UTC)))
		}},
		{"FewestItems", `"tags":["a"]`, func(b *body) { b.Tags = []string{"a"} }},
		{"Lists", `"tags":["a","b"],"modes":[],"points":[{"latitude":1}]`, func(b *body) {
			b.Tags, b.Modes, b.Points = []string{"a", "b"}, []string{}, []point{{1}}
		}},
		{
			"DictAtItsBounds", `"secrets":{"éééé":"éééé","b":"","c":""}`,
			func(b *body) { b.Secrets = map[string]string{"éééé": "éééé", "b": "", "c": ""} },
		},
		{"Dict", `"secrets":{"k":"v"}`, func(b *body) { b.Secrets = map[string]string{"k": "v"} }},
		{"SurrogatePair", `"code":"\ud83d\ude00\u00e9\n"`, func(b *body) { b.Code = new("😀é\n") }},
		{"BackslashBeforeQuote", `"code":"\\\"u"`, func(b *body) { b.Code = new(`\"u`) }},
		{"OptionalValue", `"label":"x","list":[]`, func(b *body) {
			b.Label, b.List = drover.Some("x"), drover.Some([]string{})
		}},
		{"OptionalNull", `"label":null,"where":null,"list":null`, func(b *body) {
			b.Label, b.Where, b.List = drover.Null[string](), drover.Null[point](), drover.Null[[]string]()
		}},
		{"OptionalStruct", `"where":{"latitude":-90}`, func(b *body) { b.Where = drover.Some(point{-90}) }},
		{"Raw", `"raw":{"a": [1.50, null]}`, func(b *body) { b.Raw = json.RawMessage(`{"a":[1.50,null]}`) }},
		{"RawNull", `"raw":null`, func(b *body) { b.Raw = json.RawMessage(`null`) }},
		{"Any", `"any":[1,"x",null]`, func(b *body) { b.Any = []any{json.Number("1"), "x", nil} }},
		{"AnyNull", `"any":null`, func(*body) {}},
		{"HiddenNotSet", `"Hidden":"x","hidden":"x","-":"x"`, func(*body) {}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := valid
			tt.want(&want)
			var got body
			if err := decode.JSON([]byte(with(tt.members)), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(body{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Nesting is compared without cmp, whose time doubles with each level.
func TestDeepestNesting(t *testing.T) {
	t.Parallel()
	deepest, flat := strings.Repeat("[", 63)+strings.Repeat("]", 63), "["+strings.Repeat("[],", 100)+"[]]"
	for _, nested := range []string{deepest, flat} {
		var got body
		if err := decode.JSON([]byte(with(`"raw":`+nested)), &got); err != nil {
			t.Fatal(err)
		}
		if string(got.Raw) != nested {
			t.Errorf("got %s, want %s", got.Raw, nested)
		}
	}
}

func TestEmptyStruct(t *testing.T) {
	t.Parallel()
	if err := decode.JSON([]byte(`{"a":1}`), &struct{}{}); err != nil {
		t.Errorf("a struct without fields: %v", err)
	}
}

type tree struct {
	Children []tree `json:"children"`
}

func TestRecursiveType(t *testing.T) {
	t.Parallel()
	var got tree
	if err := decode.JSON([]byte(`{"children":[{"children":[]}]}`), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tree{[]tree{{[]tree{}}}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A struct that promises a rule no one checks is a fault of ours, not of the
// caller.
func TestUndecodableStructs(t *testing.T) {
	t.Parallel()
	tests := map[string]any{
		"NotAPointer": body{},
		"NilPointer":  (*body)(nil),
		"NotAStruct":  new(int),
		"Channel":     new(struct{ A chan int }),
		"Embedded":    new(struct{ Deeper }),
		"UncheckedTag": new(struct {
			A string `pattern:"a"`
		}),
		"BadNumber": new(struct {
			A string `minLength:"x"`
		}),
		"BadBound": new(struct {
			A int `maximum:"x"`
		}),
		"BadDefault": new(struct {
			A int `default:"x"`
		}),
		"BrokenDefault": new(struct {
			A int `default:"9" maximum:"8"`
		}),
		"StandardTime": new(struct{ A time.Time }),
	}
	for name, into := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := decode.JSON([]byte(`{"A":{}}`), into)
			if err == nil || drover.ErrorKind(err) != drover.KindInternal {
				t.Errorf("got %v, want an internal error", err)
			}
		})
	}
}

// Deeper is embedded by a case above.
type Deeper struct{ C complex64 }

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `null`, with(""), with(`"year":2019.0,"tags":["a"]`), with(`"where":{"latitude":1e2}`),
		with(`"any":{"a":[1e400,"\ud83d\ude00"]}`), with(`"at":"2024-05-01T10:00:00Z"`), with("") + "x", "{\"a\":\"\xff\"}", `{"a":"\ud800`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var into body
		err := decode.JSON(data, &into)
		if err == nil {
			if !json.Valid(data) {
				t.Fatalf("accepted %q, which is not JSON", data)
			}
			if _, err := json.Marshal(into); err != nil {
				t.Fatalf("accepted %q, which does not print: %v", data, err)
			}
			return
		}
		refusal, ok := errors.AsType[*drover.Error](err)
		if !ok || refusal.Kind != drover.KindInvalid || len(refusal.Loc) == 0 || refusal.Loc[0] != "body" {
			t.Fatalf("JSON(%q) = %#v", data, err)
		}
		if !json.Valid(data) && len(data) > 0 && refusal.Type != "json_invalid" {
			t.Fatalf("JSON(%q) = %s, want json_invalid", data, refusal.Type)
		}
	})
}

func BenchmarkJSON(b *testing.B) {
	data := []byte(with(`"year":2019,"tags":["a","b"],"point":{"latitude":1.5},"secrets":{"key":"value"}`))
	b.ReportAllocs()
	for b.Loop() {
		var into body
		if err := decode.JSON(data, &into); err != nil {
			b.Fatal(err)
		}
	}
}

// TestBlankTexts has white space alone count where a field says so.
func TestBlankTexts(t *testing.T) {
	t.Parallel()
	var got struct {
		Kept string `json:"kept" blank:"true" minLength:"1"`
	}
	if err := decode.JSON([]byte(`{"kept":"  "}`), &got); err != nil || got.Kept != "  " {
		t.Errorf("got %q: %v", got.Kept, err)
	}
	if err := decode.JSON([]byte(`{"kept":""}`), &got); err == nil {
		t.Error("an empty text was taken")
	}
}

// TestStrict holds which keys a struct that is read strictly refuses: the first in the order of letters that is unknown or
// unwanted, also within others.
func TestStrict(t *testing.T) {
	t.Parallel()
	type inner struct {
		A string `json:"a"`
	}
	type outer struct {
		Name  string `json:"name"`
		Inner inner  `json:"inner" required:"false"`
		Maybe *inner `json:"maybe"`
	}
	for text, want := range map[string]*drover.Error{
		`{"name":"x"}`:                               nil,
		`{"name":"x","inner":{"a":"y"}}`:             nil,
		`{"name":"x","maybe":{"a":"y"}}`:             nil,
		`{"name":"x","c":1,"b":1,"d":1}`:             drover.Invalid("extra_forbidden", "Extra inputs are not permitted", "b"),
		`{"name":"x","inner":{"a":"y","z":1}}`:       drover.Invalid("extra_forbidden", "Extra inputs are not permitted", "inner", "z"),
		`{"name":"x","maybe":{"a":"y","z":1,"w":1}}`: drover.Invalid("extra_forbidden", "Extra inputs are not permitted", "maybe", "w"),
		`{"name":"x","unwanted":1}`:                  drover.Invalid("extra_forbidden", "Extra inputs are not permitted", "unwanted"),
		`{"name":1}`:                                 drover.Invalid("string_type", "Input should be a valid string", "name"),
		`{`:                                          drover.Invalid("json_invalid", "JSON decode error", 1),
	} {
		err := decode.New(nil).Strict([]byte(text), new(outer), func(key string) bool { return key != "unwanted" })
		got, _ := errors.AsType[*drover.Error](err)
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (want == nil) {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
	err := decode.New(nil).Strict([]byte(`{"name":"x"}`), new(outer), func(key string) bool { return key != "name" })
	if got, ok := errors.AsType[*drover.Error](err); !ok || !slices.Contains(got.Loc, any("name")) {
		t.Errorf("a key that is known and not wanted: %v", err)
	}
}
