package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Age is how long something is kept, in whole days: 90d, or off for ever.
type Age time.Duration

const day = 24 * time.Hour

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *Age) UnmarshalText(text []byte) error {
	if string(text) == "off" {
		*a = 0
		return nil
	}
	number, ok := strings.CutSuffix(string(text), "d")
	days, err := strconv.Atoi(number)
	if !ok || err != nil || days < 1 || days > maxDays {
		return fmt.Errorf("%q is neither a number of days, such as 90d, nor off", text)
	}
	*a = Age(time.Duration(days) * day)
	return nil
}

// maxDays is a hundred years, which a time.Duration can still hold.
const maxDays = 36_500

// Days is the number of days, 0 for ever.
func (a Age) Days() int { return int(time.Duration(a) / day) }

// Duration is the age as one, 0 for ever.
func (a Age) Duration() time.Duration { return time.Duration(a) }

func (a Age) String() string {
	if a == 0 {
		return "off"
	}
	return strconv.Itoa(a.Days()) + "d"
}
