package drover

import (
	"bytes"
	"encoding/base64"
	"image"
	_ "image/jpeg" // logos
	_ "image/png"
	"regexp"
	"strings"
)

// Bounds of a logo: a phone on a slow network loads it quickly, and a browser draws it
// easily.
const (
	MaxLogoBytes  = 50 << 10
	MaxLogoPixels = 1024 // of each side
)

// Brand is how a tenant shows itself to people without a login.
type Brand struct {
	Name   *string `json:"name" doc:"Instead of the tenant's name; null where it is not set."`
	Colour *string `json:"colour" doc:"Such as #1a5fb4; null where it is not set."`
	Logo   *string `json:"logo" doc:"A PNG or JPEG as a data URL; null where it is not set."`
}

// BrandUpdate changes what is sent.
type BrandUpdate struct {
	Name   Optional[string] `json:"name" required:"false" minLength:"1" maxLength:"100" doc:"As customers know the company; null takes it back."`
	Colour Optional[string] `json:"colour" required:"false" maxLength:"7" doc:"As #rrggbb; null takes it back."`
	Logo   Optional[string] `json:"logo" required:"false" maxLength:"70000" doc:"A PNG or JPEG of at most 50 KiB and 1024 × 1024 pixels as a data URL, data:image/png;base64,…; null takes it back."`
}

// Apply returns b with the update's fields set.
func (u BrandUpdate) Apply(b Brand) Brand {
	u.Name.Apply(&b.Name)
	u.Colour.Apply(&b.Colour)
	u.Logo.Apply(&b.Logo)
	return b
}

// Equal reports whether both look the same.
func (b Brand) Equal(o Brand) bool {
	return SameText(b.Name, o.Name) && SameText(b.Colour, o.Colour) && SameText(b.Logo, o.Logo)
}

// Check returns an error for a brand that a page cannot show.
func (u BrandUpdate) Check() error {
	if c := u.Colour.Value; c != nil && !colour.MatchString(*c) {
		return InvalidValue("colour must be six hexadecimal digits such as #1a5fb4", "body", "colour")
	}
	if l := u.Logo.Value; l != nil {
		if problem := logoProblem(*l); problem != "" {
			return InvalidValue(problem, "body", "logo")
		}
	}
	return nil
}

var colour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// logoProblem says what is wrong with a logo.
func logoProblem(text string) string {
	const kinds = "logo must be a PNG or JPEG as a data URL such as data:image/png;base64,…"
	kind, encoded, _ := strings.Cut(strings.TrimPrefix(text, "data:image/"), ";base64,")
	if !strings.HasPrefix(text, "data:image/") || kind != "png" && kind != "jpeg" {
		return kinds
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return kinds
	}
	if len(data) > MaxLogoBytes {
		return "logo must have at most 50 KiB"
	}
	size, found, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case err != nil || found != kind:
		return kinds
	case size.Width > MaxLogoPixels || size.Height > MaxLogoPixels:
		return "logo must be at most 1024 pixels wide and high"
	}
	return ""
}
