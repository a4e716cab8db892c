package contract_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
)

// picture is an image as a data URL. Noise cannot be packed, so that its size follows
// from the pixels.
func picture(kind string, width, height int, noise bool) string {
	img := image.NewGray(image.Rect(0, 0, width, height))
	if noise {
		r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a picture
		for i := range img.Pix {
			img.Pix[i] = uint8(r.UintN(256)) //nolint:gosec // below 256
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	if kind == "jpeg" {
		b.Reset()
		err = jpeg.Encode(&b, img, nil)
	}
	if err != nil {
		panic(err)
	}
	return "data:image/" + kind + ";base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}

// pngHeader is a PNG that says that it has so many pixels, and has none.
func pngHeader(width, height uint32) string {
	chunk := append([]byte("IHDR"), binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)...)
	chunk = append(chunk, 8, 6, 0, 0, 0)
	b := append([]byte("\x89PNG\r\n\x1a\n"), 0, 0, 0, 13)
	b = binary.BigEndian.AppendUint32(append(b, chunk...), crc32.ChecksumIEEE(chunk))
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b)
}

// brandRows are how a tenant shows itself.
func brandRows() []row {
	const path, unset = "/account/brand", `{"name":null,"colour":null,"logo":null}`
	ask := func(name, user, method, body string, status int, want string, then ...row) row {
		return row{name: name, as: user, method: method, path: path, body: body, status: status, want: want, then: then}
	}
	patch := func(name, body string, status int, want string, then ...row) row {
		return ask(name, wanda, "PATCH", body, status, want, then...)
	}
	refused := func(name, field, value, msg string) row {
		return patch(name, `{"`+field+`":"`+value+`"}`, 422, invalid("value_error", "Value error, "+msg, "body", field))
	}
	const (
		badColour = "colour must be six hexadecimal digits such as #1a5fb4"
		badLogo   = "logo must be a PNG or JPEG as a data URL such as data:image/png;base64,…"
	)
	logo := picture("png", 1024, 8, false)
	shared := row{method: "GET", path: "/public/share/$new_share_token", status: 200}
	branded := shared
	branded.want = `{"data":{"tenant_name":"work","status":"trip_not_started","destination":"<any>","position":null,"arrival":null,"arrived_at":null,` +
		`"deadline":"<any>","progress":0,"distance_to_destination_km":null,"updated_at":null,"expires_at":"<any>",` +
		`"brand":{"name":"Miller & Sons","colour":"#1A5fb4","logo":"` + logo + `"}}}`
	plain := shared
	plain.want = strings.Replace(branded.want, `,"brand":{"name":"Miller & Sons","colour":"#1A5fb4","logo":"`+logo+`"}`, "", 1)
	return []row{
		ask("Unset", wanda, "GET", "", 200, data(unset)),
		ask("ForViewer", vera, "GET", "", 200, data(unset)),
		ask("SetByMember", will, "PATCH", `{}`, 403, forbidden),
		ask("SetByViewer", vera, "PATCH", `{}`, 403, forbidden),
		patch("SetNothing", `{}`, 200, data(unset)),
		patch("Set", `{"name":"Miller & Sons","colour":"#1A5fb4","logo":"`+logo+`"}`, 200,
			data(`{"name":"Miller & Sons","colour":"#1A5fb4","logo":"`+logo+`"}`), branded,
			patch("", `{"logo":null,"name":null}`, 200, data(`{"name":null,"colour":"#1A5fb4","logo":null}`)),
			patch("", `{"colour":null}`, 200, data(unset)), plain),
		patch("Photo", `{"logo":"`+picture("jpeg", 64, 64, true)+`"}`, 200, `{"data":"<any>"}`, patch("", `{"logo":null}`, 200, data(unset))),
		patch("NameOfNothing", `{"name":""}`, 422, invalid("string_too_short", "String should have at least 1 character", "body", "name")),
		patch("NameOf101", `{"name":`+quote("a", 101)+`}`, 422,
			invalid("string_too_long", "String should have at most 100 characters", "body", "name")),
		refused("ColourByName", "colour", "blue", badColour),
		refused("ColourOfCSS", "colour", "#fff;}a", badColour),
		refused("LogoElsewhere", "logo", "https://example.com/logo.png", badLogo),
		refused("LogoOfSVG", "logo", "data:image/svg+xml;base64,PHN2Zy8+", badLogo),
		refused("LogoOfNothing", "logo", "data:image/png;base64,", badLogo),
		refused("LogoNoBase64", "logo", "data:image/png;base64,***", badLogo),
		refused("LogoOfAnotherKind", "logo", strings.Replace(logo, "png", "jpeg", 1), badLogo),
		refused("LogoTooLarge", "logo", picture("png", 256, 202, true), "logo must have at most 50 KiB"),
		refused("LogoOfHugePixels", "logo", pngHeader(60_000, 60_000), "logo must be at most 1024 pixels wide and high"),
		refused("LogoOfImpossiblePixels", "logo", pngHeader(1<<31-1, 1<<31-1), badLogo),
		refused("LogoTooWide", "logo", picture("png", 1025, 1, false), "logo must be at most 1024 pixels wide and high"),
		patch("LogoOf70001", `{"logo":`+quote("a", 70001)+`}`, 422,
			invalid("string_too_long", "String should have at most 70000 characters", "body", "logo")),
	}
}

// TestPictures holds that the pictures above are as large as their names say.
func TestPictures(t *testing.T) {
	t.Parallel()
	text := picture("png", 256, 202, true)
	if n := len(text); n <= 50<<10*4/3 || n > 70000 {
		t.Errorf("the large logo has %d characters", n)
	}
}
