package decode_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/decode"
)

func TestQuery(t *testing.T) {
	t.Parallel()
	readInt := func(q url.Values) (any, error) { return decode.QueryInt(q, "p", 10, 1, 100) }
	readDays := func(q url.Values) (any, error) { return decode.QueryEnumInt(q, "p", 14, 7, 14, 30, 90) }
	readBool := func(q url.Values) (any, error) { return decode.QueryBool(q, "p", true) }
	readTime := func(q url.Values) (any, error) { return decode.QueryTime(q, "p") }
	readText := func(q url.Values) (any, error) { return decode.QueryString(q, "p", 2) }
	readRole := func(q url.Values) (any, error) {
		return decode.QueryEnum(q, "p", drover.RoleAdmin, drover.RoleViewer)
	}
	refused := func(typ, msg string) error { return drover.Invalid(typ, msg, "query", "p") }
	noInt := refused("int_parsing", "Input should be a valid integer, unable to parse string as an integer")
	noBool := refused("bool_parsing", "Input should be a valid boolean, unable to interpret input")
	tooSmall := refused("greater_than_equal", "Input should be greater than or equal to 1")
	tooLarge := refused("less_than_equal", "Input should be less than or equal to 100")
	noDays := refused("enum", "Input should be 7, 14, 30 or 90")
	noRole := refused("enum", "Input should be 'admin' or 'viewer'")
	tests := []struct {
		name  string
		read  func(url.Values) (any, error)
		query string
		want  any
		err   error
	}{
		{"IntAbsent", readInt, "", 10, nil},
		{"Int", readInt, "p=100", 100, nil},
		{"IntSpaces", readInt, "p=+7", 7, nil},
		{"IntLastWins", readInt, "p=x&p=3", 3, nil},
		{"IntEmpty", readInt, "p=", 0, noInt},
		{"IntText", readInt, "p=x", 0, noInt},
		{"IntFraction", readInt, "p=1.5", 0, noInt},
		{"IntBelow", readInt, "p=0", 0, tooSmall},
		{"IntAbove", readInt, "p=101", 0, tooLarge},
		{"IntHuge", readInt, "p=99999999999999999999", 0, tooLarge},
		{"IntHugeNegative", readInt, "p=-99999999999999999999", 0, tooSmall},
		{"DaysAbsent", readDays, "", 14, nil},
		{"Days", readDays, "p=90", 90, nil},
		{"DaysOther", readDays, "p=15", 0, noDays},
		{"DaysHuge", readDays, "p=99999999999999999999", 0, noDays},
		{"DaysText", readDays, "p=week", 0, noInt},
		{"BoolAbsent", readBool, "", true, nil},
		{"BoolOff", readBool, "p=Off", false, nil},
		{"BoolYes", readBool, "p=YES", true, nil},
		{"BoolOne", readBool, "p=1", true, nil},
		{"BoolF", readBool, "p=f", false, nil},
		{"BoolEmpty", readBool, "p=", false, noBool},
		{"BoolText", readBool, "p=maybe", false, noBool},
		{"TimeAbsent", readTime, "", (*drover.Time)(nil), nil},
		{"Time", readTime, "p=2024-05-01T00:00:00Z", new(drover.At(time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC))), nil},
		{"TimeEmpty", readTime, "p=", (*drover.Time)(nil), refused("datetime_parsing", "Input should be a valid datetime, invalid ISO 8601 date-time")},
		{"EnumAbsent", readRole, "", drover.Role(""), nil},
		{"Enum", readRole, "p=viewer", drover.RoleViewer, nil},
		{"EnumOther", readRole, "p=member", drover.Role(""), noRole},
		{"EnumEmpty", readRole, "p=", drover.Role(""), noRole},
		{"TextAbsent", readText, "", "", nil},
		{"Text", readText, "p=%C3%A9%C3%A9", "éé", nil},
		{"TextTooLong", readText, "p=abc", "", refused("string_too_long", "String should have at most 2 characters")},
		{"TextNUL", readText, "p=%00", "", refused("value_error", "Value error, string must not contain NUL characters")},
		{"TextNotUTF8", readText, "p=%FF", "", refused("string_unicode", "Input should be a valid string, unable to parse raw data as a unicode string")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q, err := url.ParseQuery(tt.query)
			if err != nil {
				t.Fatal(err)
			}
			got, err := tt.read(q)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("value (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.err, err); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}
