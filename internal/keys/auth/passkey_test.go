package auth_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"os"
	"testing"

	"github.com/drover-fleet/drover/internal/keys/auth"
)

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func spki(t *testing.T, key crypto.Signer) []byte {
	t.Helper()
	return must[[]byte](t)(x509.MarshalPKIXPublicKey(key.Public()))
}

// TestPasskeyVectors holds the verifier to the examples of the standard. Of those whose device has
// not verified the person, the flag is the fault, and no signature is looked at.
func TestPasskeyVectors(t *testing.T) {
	t.Parallel()
	var file struct {
		Vectors []map[string]string
	}
	if err := json.Unmarshal(must[[]byte](t)(os.ReadFile("testdata/webauthn.json")), &file); err != nil {
		t.Fatal(err)
	}
	site := auth.Site{ID: "example.org", Origin: "https://example.org"}
	type outcome struct{ create, register, get, verify error }
	want := map[string]outcome{
		"ES256":                           {},
		"ES256 without user verification": {register: auth.ErrPasskeyPerson, verify: auth.ErrPasskeyPerson},
		"ES256 within another site":       {create: auth.ErrPasskeyFrame, get: auth.ErrPasskeyFrame},
		"ES256 with a top origin":         {create: auth.ErrPasskeyFrame, register: auth.ErrPasskeyPerson, get: auth.ErrPasskeyFrame},
		"RS256":                           {verify: auth.ErrPasskeyPerson},
		"Ed25519":                         {register: auth.ErrPasskeyPerson, verify: auth.ErrPasskeyPerson},
		"ES384":                           {register: auth.ErrPasskeyPerson, verify: auth.ErrPasskeyKey},
	}
	if len(file.Vectors) != len(want) {
		t.Fatalf("there are %d vectors", len(file.Vectors))
	}
	for _, v := range file.Vectors {
		t.Run(v["name"], func(t *testing.T) {
			t.Parallel()
			read := func(name string) []byte { return must[[]byte](t)(hex.DecodeString(v[name])) }
			key := spki(t, vectorKey(t, v["name"], read("private_key")))
			want := want[v["name"]]
			for _, c := range []struct {
				kind, name string
				want       error
			}{{auth.PasskeyCreate, "create", want.create}, {auth.PasskeyGet, "get", want.get}} {
				challenge, err := site.Challenge(c.kind, read(c.name+"_client_data"))
				if !errors.Is(err, c.want) || err == nil && !bytes.Equal(challenge, read(c.name+"_challenge")) {
					t.Errorf("%s: challenge %x, %v", c.name, challenge, err)
				}
			}
			if _, err := site.Register(read("credential"), read("create_device_data"), key); !errors.Is(err, want.register) {
				t.Errorf("register: %v, want %v", err, want.register)
			}
			known := auth.Passkey{PublicKey: key, MayMove: read("create_device_data")[32]&8 != 0}
			if _, err := site.Verify(known, read("get_client_data"), read("get_device_data"), read("get_signature")); !errors.Is(err, want.verify) {
				t.Errorf("verify: %v, want %v", err, want.verify)
			}
			// Without the flag's check the signatures of all that are accepted are right.
			about := sha256.Sum256(read("get_client_data"))
			signed := auth.Signed(key, append(read("get_device_data"), about[:]...), read("get_signature"))
			if accepted := v["name"] != "ES384"; signed != accepted {
				t.Errorf("the signature is right: %t", signed)
			}
		})
	}
}

func vectorKey(t *testing.T, name string, private []byte) crypto.Signer {
	t.Helper()
	switch name {
	case "RS256":
		return publicOnly{&rsa.PublicKey{N: new(big.Int).Mul(mersenne(1279), mersenne(2203)), E: 65537}}
	case "Ed25519":
		return ed25519.NewKeyFromSeed(private)
	case "ES384":
		return must[*ecdsa.PrivateKey](t)(ecdsa.ParseRawPrivateKey(elliptic.P384(), private))
	}
	return must[*ecdsa.PrivateKey](t)(ecdsa.ParseRawPrivateKey(elliptic.P256(), private))
}

// mersenne is a number of that many bits, all of them set. The standard has made its RSA key of two that are primes.
func mersenne(exponent uint) *big.Int {
	one := big.NewInt(1)
	return one.Sub(new(big.Int).Lsh(one, exponent), one)
}

// rsaKey is the public part of a key of that many bits, with which no one can sign.
func rsaKey(t *testing.T, bits uint) []byte {
	t.Helper()
	return spki(t, publicOnly{&rsa.PublicKey{N: mersenne(bits), E: 65537}})
}

type publicOnly struct{ key crypto.PublicKey }

func (p publicOnly) Public() crypto.PublicKey { return p.key }
func (publicOnly) Sign(_ io.Reader, _ []byte, _ crypto.SignerOpts) ([]byte, error) {
	return nil, errors.ErrUnsupported
}

// device is an authenticator of the tests.
type device struct {
	key        crypto.Signer
	site       string
	flags      byte
	counter    uint32
	credential []byte
}

const (
	present, verified, mayMove, moved, attested = 1, 4, 8, 16, 64
)

func (d device) data(more ...byte) []byte {
	site := sha256.Sum256([]byte(d.site))
	return append(binary.BigEndian.AppendUint32(append(site[:], d.flags), d.counter), more...)
}

func (d device) attested() []byte {
	d.flags |= attested
	more := binary.BigEndian.AppendUint16(make([]byte, 16), uint16(len(d.credential)))
	return d.data(append(append(more, d.credential...), 0xa5)...) // and the key in a form that is not read
}

func (d device) sign(t *testing.T, deviceData, clientData []byte) []byte {
	t.Helper()
	about := sha256.Sum256(clientData)
	message := append(bytes.Clone(deviceData), about[:]...)
	if _, ok := d.key.(ed25519.PrivateKey); ok {
		return must[[]byte](t)(d.key.Sign(nil, message, crypto.Hash(0)))
	}
	sum := sha256.Sum256(message)
	return must[[]byte](t)(d.key.Sign(rand.Reader, sum[:], crypto.SHA256))
}

// TestPasskey tries what a device could say wrongly, with each kind of key.
func TestPasskey(t *testing.T) {
	t.Parallel()
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]crypto.Signer{
		"ES256": must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)),
		"RS256": must[*rsa.PrivateKey](t)(rsa.GenerateKey(rand.Reader, 2048)), "EdDSA": ed,
	}
	site := auth.Site{ID: "fleet.example", Origin: "https://fleet.example"}
	clientData := []byte(`{"type":"webauthn.get","challenge":"AAAA","origin":"https://fleet.example","crossOrigin":false}`)
	for name, key := range keys {
		good := device{key: key, site: site.ID, flags: present | verified | mayMove | moved, counter: 8, credential: []byte("credential")}
		public := spki(t, key)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made, err := site.Register(good.credential, good.attested(), public)
			if err != nil || made.Counter != 8 || !made.MayMove || !made.Moved {
				t.Fatalf("register: %+v, %v", made, err)
			}
			for _, c := range []struct {
				name   string
				change func(d *device)
				more   []byte
				spoil  func(clientData, deviceData, signature []byte)
				known  func(p *auth.Passkey)
				want   error
			}{
				{name: "Good", change: func(d *device) { d.counter = 9 }},
				{name: "NotMovedNow", change: func(d *device) { d.counter, d.flags = 9, present|verified|mayMove }},
				{name: "WithExtensions", change: func(d *device) { d.counter, d.flags = 9, d.flags|128 }, more: []byte{0xa0}},
				{name: "CountsNothing", change: func(d *device) { d.counter = 0 }, known: func(p *auth.Passkey) { p.Counter = 0 }},
				{name: "CounterStays", change: func(*device) {}, want: auth.ErrPasskeyCopied},
				{name: "CounterFalls", change: func(d *device) { d.counter = 7 }, want: auth.ErrPasskeyCopied},
				{name: "CounterEnds", change: func(d *device) { d.counter = 0 }, want: auth.ErrPasskeyCopied},
				{name: "OtherSite", change: func(d *device) { d.counter, d.site = 9, "evil.example" }, want: auth.ErrPasskeySite},
				{name: "NoPerson", change: func(d *device) { d.counter, d.flags = 9, verified|mayMove }, want: auth.ErrPasskeyPerson},
				{name: "NotVerified", change: func(d *device) { d.counter, d.flags = 9, present|mayMove }, want: auth.ErrPasskeyPerson},
				{name: "MovedThoughItMayNot", change: func(d *device) { d.counter, d.flags = 9, present|verified|moved }, want: auth.ErrPasskeyBackup},
				{name: "MayNotMoveNow", change: func(d *device) { d.counter, d.flags = 9, present|verified }, want: auth.ErrPasskeyBackup},
				{name: "MoreThanItSays", change: func(d *device) { d.counter = 9 }, more: []byte{1}, want: auth.ErrPasskeyForm},
				{name: "LessThanItSays", change: func(d *device) { d.counter, d.flags = 9, d.flags|128 }, want: auth.ErrPasskeyForm},
				{name: "WithACredential", change: func(d *device) { d.counter, d.flags = 9, d.flags|attested }, want: auth.ErrPasskeyForm},
				{name: "OtherPage", change: func(d *device) { d.counter = 9 }, spoil: func(c, _, _ []byte) { c[30]++ }, want: auth.ErrPasskeySigned},
				{name: "CounterRaised", change: func(d *device) { d.counter = 9 }, spoil: func(_, d, _ []byte) { d[36]++ }, want: auth.ErrPasskeySigned},
				{name: "SignatureSpoiled", change: func(d *device) { d.counter = 9 }, spoil: func(_, _, s []byte) { s[len(s)-1]++ }, want: auth.ErrPasskeySigned},
			} {
				d, known := good, made
				c.change(&d)
				if c.known != nil {
					c.known(&known)
				}
				client, data := bytes.Clone(clientData), d.data(c.more...)
				signature := d.sign(t, data, client)
				if c.spoil != nil {
					c.spoil(client, data, signature)
				}
				if got, err := site.Verify(known, client, data, signature); !errors.Is(err, c.want) || err == nil && got.Counter != d.counter {
					t.Errorf("%s: %+v, %v, want %v", c.name, got, err, c.want)
				}
			}
			// The signature of one kind of key is none of another.
			data := good.data()
			for other, key := range keys {
				known := auth.Passkey{PublicKey: spki(t, key), MayMove: true}
				_, err := site.Verify(known, clientData, data, good.sign(t, data, clientData))
				if other != name && !errors.Is(err, auth.ErrPasskeySigned) {
					t.Errorf("as %s: %v", other, err)
				}
			}
		})
	}
}

// TestPasskeyRefusals tries registrations and pages that are not accepted.
func TestPasskeyRefusals(t *testing.T) {
	t.Parallel()
	site := auth.Site{ID: "fleet.example", Origin: "https://fleet.example"}
	good := device{
		key: must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)), site: site.ID, flags: present | verified,
		credential: []byte("credential"),
	}
	public := spki(t, good.key)
	longest, long := good, good
	longest.credential, long.credential = make([]byte, 1023), make([]byte, 1024)
	unverified := good
	unverified.flags = present
	for name, c := range map[string]struct {
		credential, data, key []byte
		want                  error
	}{
		"Empty":           {good.credential, nil, public, auth.ErrPasskeyForm},
		"NoCredential":    {good.credential, good.data(), public, auth.ErrPasskeyForm},
		"CutShort":        {good.credential, good.attested()[:60], public, auth.ErrPasskeyForm},
		"CutInTheModel":   {good.credential, good.attested()[:40], public, auth.ErrPasskeyForm},
		"CutInTheLength":  {good.credential, good.attested()[:54], public, auth.ErrPasskeyForm},
		"WithoutKey":      {good.credential, good.attested()[:len(good.attested())-1], public, auth.ErrPasskeyForm},
		"OtherCredential": {[]byte("credentiaL"), good.attested(), public, auth.ErrPasskeyForm},
		"NoName":          {nil, device{site: site.ID, flags: good.flags}.attested(), public, auth.ErrPasskeyForm},
		"LongestName":     {longest.credential, longest.attested(), public, nil},
		"LongName":        {long.credential, long.attested(), public, auth.ErrPasskeyForm},
		"NotVerified":     {good.credential, unverified.attested(), public, auth.ErrPasskeyPerson},
		"NoKey":           {good.credential, good.attested(), nil, auth.ErrPasskeyKey},
		"P384": {
			good.credential, good.attested(),
			spki(t, must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))), auth.ErrPasskeyKey,
		},
		"SmallRSA":    {good.credential, good.attested(), rsaKey(t, 2047), auth.ErrPasskeyKey},
		"SmallestRSA": {good.credential, good.attested(), rsaKey(t, 2048), nil},
		"LargestRSA":  {good.credential, good.attested(), rsaKey(t, 4096), nil},
		"LargeRSA":    {good.credential, good.attested(), rsaKey(t, 4097), auth.ErrPasskeyKey},
	} {
		if _, err := site.Register(c.credential, c.data, c.key); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	for text, want := range map[string]error{
		`{"type":"webauthn.get","challenge":"AAAA","origin":"https://fleet.example"}`:                                     nil,
		`{"type":"webauthn.create","challenge":"AAAA","origin":"https://fleet.example"}`:                                  auth.ErrPasskeyType,
		`{"type":"payment.get","challenge":"AAAA","origin":"https://fleet.example"}`:                                      auth.ErrPasskeyType,
		`{"type":"webauthn.get","challenge":"AAAA","origin":"https://fleet.example.evil.example"}`:                        auth.ErrPasskeyOrigin,
		`{"type":"webauthn.get","challenge":"AAAA","origin":"http://fleet.example"}`:                                      auth.ErrPasskeyOrigin,
		`{"type":"webauthn.get","challenge":"AAAA","origin":"https://fleet.example:8443"}`:                                auth.ErrPasskeyOrigin,
		`{"type":"webauthn.get","challenge":"AAAA","origin":"https://sub.fleet.example"}`:                                 auth.ErrPasskeyOrigin,
		`{"type":"webauthn.get","challenge":"AAAA","origin":"https://fleet.example","crossOrigin":true}`:                  auth.ErrPasskeyFrame,
		`{"type":"webauthn.get","challenge":"AAAA","origin":"https://fleet.example","topOrigin":"https://fleet.example"}`: auth.ErrPasskeyFrame,
		`{"type":"webauthn.get","challenge":"A+A=","origin":"https://fleet.example"}`:                                     auth.ErrPasskeyForm,
		`[`: auth.ErrPasskeyForm,
	} {
		if _, err := site.Challenge(auth.PasskeyGet, []byte(text)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
	for address, want := range map[string]auth.Site{
		"https://fleet.example":          {ID: "fleet.example", Origin: "https://fleet.example"},
		"https://Fleet.Example:443/base": {ID: "fleet.example", Origin: "https://fleet.example"},
		"https://fleet.example:8443":     {ID: "fleet.example", Origin: "https://fleet.example:8443"},
		"http://localhost:8080":          {ID: "localhost", Origin: "http://localhost:8080"},
		"http://fleet.example":           {},
		"https://192.0.2.7":              {},
		"https://[2001:db8::1]":          {},
		"":                               {},
	} {
		if got, ok := auth.SiteOf(address); got != want || ok != (want.ID != "") {
			t.Errorf("%s: %+v, %t", address, got, ok)
		}
	}
}
