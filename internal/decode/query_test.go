package decode_test

import (
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/decode"
)

// params has a parameter of every kind.
type params struct {
	Int   int              `query:"int" default:"10" minimum:"1" maximum:"100"`
	Days  int              `query:"days" default:"14" enum:"7,14,30,90"`
	Float float64          `query:"float" minimum:"0" maximum:"1.5"`
	Bool  bool             `query:"bool"`
	Maybe *bool            `query:"maybe"`
	Time  *drover.Time     `query:"time"`
	Role  drover.Role      `query:"role" enum:"admin,viewer"`
	Kind  drover.EventType `query:"kind"`
	Text  string           `query:"text" maxLength:"2"`
	pair
	Other string // no parameter
}

// pair is embedded, as paging is in the lists.
type pair struct {
	Many  []string      `query:"many" maxItems:"2"`
	Roles []drover.Role `query:"roles"`
}

func TestQuery(t *testing.T) {
	t.Parallel()
	def := params{Int: 10, Days: 14}
	at := drover.At(time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC))
	noInt := refusal("int_parsing", "Input should be a valid integer, unable to parse string as an integer")
	noBool := refusal("bool_parsing", "Input should be a valid boolean, unable to interpret input")
	noDays := refusal("enum", "Input should be 7, 14, 30 or 90")
	noRole := refusal("enum", "Input should be 'admin' or 'viewer'")
	tests := []struct {
		name  string
		query string
		want  func(p *params)
		err   func(name string) error
	}{
		{"Absent", "", func(*params) {}, nil},
		{"Int", "int=100", func(p *params) { p.Int = 100 }, nil},
		{"IntSpaces", "int=+7", func(p *params) { p.Int = 7 }, nil},
		{"IntLastWins", "int=x&int=3", func(p *params) { p.Int = 3 }, nil},
		{"IntEmpty", "int=", nil, noInt},
		{"IntText", "int=x", nil, noInt},
		{"IntFraction", "int=1.5", nil, noInt},
		{"IntBelow", "int=0", nil, refusal("greater_than_equal", "Input should be greater than or equal to 1")},
		{"IntAbove", "int=101", nil, refusal("less_than_equal", "Input should be less than or equal to 100")},
		{"IntHuge", "int=99999999999999999999", nil, refusal("less_than_equal", "Input should be less than or equal to 100")},
		{"IntHugeNegative", "int=-99999999999999999999", nil, refusal("greater_than_equal", "Input should be greater than or equal to 1")},
		{"Days", "days=90", func(p *params) { p.Days = 90 }, nil},
		{"DaysOther", "days=15", nil, noDays},
		{"DaysHuge", "days=99999999999999999999", nil, noDays},
		{"DaysText", "days=week", nil, noInt},
		{"Float", "float=1.5", func(p *params) { p.Float = 1.5 }, nil},
		{"FloatAbove", "float=1.51", nil, refusal("less_than_equal", "Input should be less than or equal to 1.5")},
		{"FloatText", "float=far", nil, refusal("float_parsing", "Input should be a valid number, unable to parse string as a number")},
		{"FloatNaN", "float=NaN", nil, refusal("finite_number", "Input should be a finite number")},
		{"FloatHuge", "float=1e999", nil, refusal("finite_number", "Input should be a finite number")},
		{"BoolYes", "bool=YES", func(p *params) { p.Bool = true }, nil},
		{"BoolOne", "bool=1", func(p *params) { p.Bool = true }, nil},
		{"BoolEmpty", "bool=", nil, noBool},
		{"BoolText", "bool=perhaps", nil, noBool},
		{"MaybeOff", "maybe=Off", func(p *params) { p.Maybe = new(false) }, nil},
		{"MaybeF", "maybe=f", func(p *params) { p.Maybe = new(false) }, nil},
		{"MaybeText", "maybe=perhaps", nil, noBool},
		{"Time", "time=2024-05-01T00:00:00Z", func(p *params) { p.Time = &at }, nil},
		{"TimeEmpty", "time=", nil, refusal("datetime_parsing", "Input should be a valid datetime, invalid ISO 8601 date-time")},
		{"Enum", "role=viewer", func(p *params) { p.Role = drover.RoleViewer }, nil},
		{"EnumNarrowed", "role=member", nil, noRole},
		{"EnumEmpty", "role=", nil, noRole},
		{"ClosedSet", "kind=trip.updated", func(p *params) { p.Kind = drover.EventTripUpdated }, nil},
		{"Text", "text=%C3%A9%C3%A9", func(p *params) { p.Text = "éé" }, nil},
		{"TextTooLong", "text=abc", nil, refusal("string_too_long", "String should have at most 2 characters")},
		{"TextNUL", "text=%00", nil, refusal("value_error", "Value error, string must not contain NUL characters")},
		{"TextNotUTF8", "text=%FF", nil, refusal("string_unicode",
			"Input should be a valid string, unable to parse raw data as a unicode string")},
		{"Many", "many=aaa&many=b", func(p *params) { p.Many = []string{"aaa", "b"} }, nil},
		{"ManyTooMany", "many=a&many=b&many=c", nil, refusal("too_long", "List should have at most 2 items after validation, not 3")},
		{"ManyOfASet", "roles=viewer&roles=admin", func(p *params) { p.Roles = []drover.Role{drover.RoleViewer, drover.RoleAdmin} }, nil},
		{"ManyOneWrong", "roles=viewer&roles=boss", nil, refusal("enum", "Input should be 'admin', 'member' or 'viewer'")},
		{"FirstFieldFirst", "many=a&many=b&many=c&int=x", nil, func(string) error { return noInt("int") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q, err := url.ParseQuery(tt.query)
			if err != nil {
				t.Fatal(err)
			}
			got, want := params{}, def
			err = decode.Query(q, &got)
			if tt.err != nil {
				name, _, _ := strings.Cut(tt.query, "=")
				if diff := cmp.Diff(tt.err(name), err); diff != "" {
					t.Errorf("error (-want +got):\n%s", diff)
				}
				return
			}
			tt.want(&want)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(params{})); diff != "" || err != nil {
				t.Errorf("error %v, value (-want +got):\n%s", err, diff)
			}
		})
	}
}

// refusal is an error of a parameter whose name is given later.
func refusal(typ, msg string) func(name string) error {
	return func(name string) error { return drover.Invalid(typ, msg, "query", name) }
}

func TestQueryRequired(t *testing.T) {
	t.Parallel()
	var into struct {
		From drover.Time `query:"from" required:"true"`
	}
	err := decode.Query(url.Values{}, &into)
	if diff := cmp.Diff(error(drover.Invalid("missing", "Field required", "query", "from")), err); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func TestNoExtra(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		of     reflect.Type
		query  url.Values
		refuse string
	}{
		{"None", nil, nil, ""},
		{"OfNone", nil, url.Values{"a": nil}, "a"},
		{"Known", reflect.TypeFor[params](), url.Values{"int": nil, "many": nil}, ""},
		{"FirstByName", reflect.TypeFor[params](), url.Values{"int": nil, "b": nil, "a": nil}, "a"},
		{"OfAFieldWithoutName", reflect.TypeFor[params](), url.Values{"Other": nil}, "Other"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var want error
			if tt.refuse != "" {
				want = drover.Invalid("extra_forbidden", "Extra inputs are not permitted", "query", tt.refuse)
			}
			if diff := cmp.Diff(want, decode.NoExtra(tt.query, tt.of)); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}
