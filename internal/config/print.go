package config

import (
	"fmt"
	"io"
	"net/url"
	"reflect"
	"strings"
)

// masked stands for a secret that is set.
const masked = "********"

// Print writes every setting as a configuration file would have it, with
// secrets masked.
func Print(w io.Writer, settings any) error {
	return printStruct(w, reflect.Indirect(reflect.ValueOf(settings)))
}

func printStruct(w io.Writer, v reflect.Value) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Anonymous {
			if err := printStruct(w, v.Field(i)); err != nil {
				return err
			}
			continue
		}
		name := field.Tag.Get("name")
		if name == "" {
			name = dashed(field.Name)
		}
		for _, text := range texts(v.Field(i)) {
			if _, err := fmt.Fprintf(w, "%s = %s\n", name, mask(field.Tag.Get("secret"), text)); err != nil {
				return fmt.Errorf("print settings: %w", err)
			}
		}
	}
	return nil
}

// texts are the values of a setting: several for a repeatable one.
func texts(v reflect.Value) []string {
	if v.Kind() != reflect.Slice {
		return []string{fmt.Sprint(v.Interface())}
	}
	out := make([]string, v.Len())
	for i := range out {
		out[i] = fmt.Sprint(v.Index(i).Interface())
	}
	return out
}

// mask hides a secret, of an address only its passwords, and of a command its arguments.
func mask(kind, text string) string {
	switch {
	case text == "" || kind == "":
		return text
	case kind == "command":
		program, arguments, _ := strings.Cut(strings.TrimSpace(text), " ")
		if arguments != "" {
			program += " " + masked
		}
		return program
	case kind == "url":
		u, err := url.Parse(text)
		if err != nil {
			return masked
		}
		if _, has := u.User.Password(); has {
			u.User = url.UserPassword(u.User.Username(), masked)
		}
		q := u.Query()
		for name := range q {
			if strings.HasSuffix(strings.ToLower(name), "password") { // sslpassword opens the key of a client
				q.Set(name, masked)
				u.RawQuery = q.Encode()
			}
		}
		return strings.ReplaceAll(u.String(), "%2A", "*")
	default:
		return masked
	}
}

// dashed turns a Go name into the flag's: MaxInFlight becomes max-in-flight.
func dashed(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('-')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
