package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Size is an amount of memory in bytes: 512MiB or 2GiB. Zero is none given.
type Size int64

// units are what a size may end with.
var units = []struct {
	name  string
	bytes int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Size) UnmarshalText(text []byte) error {
	for _, u := range units {
		number, ok := strings.CutSuffix(string(text), u.name)
		if n, err := strconv.ParseInt(number, 10, 32); ok && err == nil && n > 0 {
			*s = Size(n * u.bytes)
			return nil
		}
	}
	return fmt.Errorf("%q is not a size such as 512MiB or 2GiB", text)
}

func (s Size) String() string {
	for _, u := range units {
		if n := int64(s); n > 0 && n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return ""
}
