package config_test

import (
	"bytes"
	"math"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/drover-fleet/drover/internal/config"
)

// defaults are the settings where nothing is set.
func defaults(t *testing.T) config.Serve {
	t.Helper()
	var s config.Serve
	parser, err := kong.New(&s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*config.Serve){
		"":                           func(*config.Serve) {},
		"--tls-cert":                 func(s *config.Serve) { s.TLSKey = "x" },
		"--tls-key":                  func(s *config.Serve) { s.TLSCert = "x" },
		"at least a second":          func(s *config.Serve) { s.AccessTokenLifetime = time.Second - 1 },
		"--refresh-token":            func(s *config.Serve) { s.RefreshTokenLifetime = s.AccessTokenLifetime - 1 },
		"--rate-limit":               func(s *config.Serve) { s.RateLimit = -1 },
		"--rate-burst":               func(s *config.Serve) { s.RateBurst = -1 },
		"--trace-ratio":              func(s *config.Serve) { s.TraceRatio = math.NaN() },
		"--otlp-endpoint":            func(s *config.Serve) { s.OTLPEndpoint = "collector:4318" },
		"--max-in-flight":            func(s *config.Serve) { s.MaxInFlight = 0 },
		"--poll-interval":            func(s *config.Serve) { s.PollInterval = -1 },
		"--collection-lease":         func(s *config.Serve) { s.CollectionLease = time.Second - 1 },
		"--milestone-timeout":        func(s *config.Serve) { s.MilestoneTimeout = 0 },
		"milestone-radius must be":   func(s *config.Serve) { s.MilestoneRadius = 0 },
		"--position-retention":       func(s *config.Serve) { s.PositionRetention = config.Age(6 * 24 * time.Hour) },
		"--position-event-retention": func(s *config.Serve) { s.PositionEventRetention = config.Age(6 * 24 * time.Hour) },
		"--event-retention":          func(s *config.Serve) { s.EventRetention = config.Age(29 * 24 * time.Hour) },
	} {
		s := defaults(t)
		change(&s)
		err := s.Check()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

func TestDatabaseURL(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "url")
	if err := os.WriteFile(file, []byte(" postgres://db/drover\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		store     config.Store
		want, err string
	}{
		{store: config.Store{}},
		{store: config.Store{Database: "postgres://x"}, want: "postgres://x"},
		{store: config.Store{DatabaseFile: file}, want: "postgres://db/drover"},
		{store: config.Store{Database: "x", DatabaseFile: file}, err: "exclude each other"},
		{store: config.Store{DatabaseFile: file + "x"}, err: "read --database-file"},
	} {
		got, err := test.store.DatabaseURL()
		if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%+v: %q, %v; want %q, %q", test.store, got, err, test.want, test.err)
		}
	}
}

func TestPrint(t *testing.T) {
	t.Parallel()
	s := defaults(t)
	s.AllowNetwork = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	s.TrustedProxy = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	s.MasterKeyCommand = " /bin/key  --token t0p"
	s.MasterKey, s.Database = "the key", "postgres://ann:hunter2@db/drover?sslmode=disable"
	var out bytes.Buffer
	if err := config.Print(&out, &s); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"allow-network = 10.0.0.0/8\n", "allow-network = ::1/128\n", "trusted-proxy = 192.0.2.0/24\n", "access-token-lifetime = 1h0m0s\n",
		"max-in-flight = 512\n",
		"position-retention = off\n", "event-retention = 90d\n",
		"master-key = ********\n", "master-key-command = /bin/key ********\n", "database = postgres://ann:********@db/drover?sslmode=disable\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "hunter2") || strings.Contains(out.String(), "the key") {
		t.Errorf("a secret is printed:\n%s", &out)
	}
}
