// Package config has the settings of an operator: flags, DROVER_… variables and a file, in that
// order. The structs carry the names, defaults and help texts. The command line is made of them,
// and settings are printed with secrets masked.
package config

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
)

// Store says where the data and the master key are.
type Store struct {
	Data             string `help:"Folder for the embedded database and the master key." default:"./drover-data" env:"DROVER_DATA" placeholder:"DIR"`
	Database         string `help:"PostgreSQL address (postgres://…); it may name several hosts for failover. Without it the embedded SQLite is used." env:"DROVER_DATABASE" placeholder:"URL" secret:"url"`
	DatabaseFile     string `help:"File that holds the PostgreSQL address." env:"DROVER_DATABASE_FILE" placeholder:"FILE"`
	DatabaseRead     string `help:"PostgreSQL address of a streaming replica, for lists, tracks, sums and exports. Records that a caller has just written are never read from it." env:"DROVER_DATABASE_READ" placeholder:"URL" secret:"url"`
	MasterKey        string `help:"Master key, 32 bytes in base64 or hex. To replace a key, give the new and the old one, separated by a comma." env:"DROVER_MASTER_KEY" placeholder:"KEY" secret:"all"`
	MasterKeyFile    string `help:"File that holds the master key. By default one is created in the data folder." env:"DROVER_MASTER_KEY_FILE" placeholder:"FILE"`
	MasterKeyCommand string `help:"Program with arguments that prints the master key, such as the client of a key store. It runs once at the start, without a shell, for at most 30 s." env:"DROVER_MASTER_KEY_COMMAND" placeholder:"COMMAND" secret:"command"`
}

// Log says what is logged and how.
type Log struct {
	LogLevel  string `help:"Lowest level that is logged: debug, info, warn or error." default:"info" enum:"debug,info,warn,error" env:"DROVER_LOG_LEVEL"`
	LogFormat string `help:"Format of the log: text or json." default:"text" enum:"text,json" env:"DROVER_LOG_FORMAT"`
}

// Serve is what the service runs with.
type Serve struct {
	Store
	Log
	Listen         string         `help:"Address of the API." default:"127.0.0.1:8080" env:"DROVER_LISTEN" placeholder:"HOST:PORT"`
	OperatorListen string         `help:"Separate address for /healthz, /readyz and /metrics; by default they are served with the API." env:"DROVER_OPERATOR_LISTEN" placeholder:"HOST:PORT"`
	Role           string         `help:"What this process does: all, api or worker." default:"all" enum:"all,api,worker" env:"DROVER_ROLE"`
	PublicURL      string         `help:"Address at which people reach the service, if it is behind a proxy. With https://, cookies are sent over TLS only." name:"public-url" env:"DROVER_PUBLIC_URL" placeholder:"URL"`
	TrustedProxy   []netip.Prefix `help:"Network of proxies whose X-Forwarded-For header is trusted as the caller's address, for login throttling and the log; repeatable." env:"DROVER_TRUSTED_PROXY" placeholder:"CIDR"`
	TLSCert        string         `help:"Certificate file; serves TLS together with --tls-key." name:"tls-cert" env:"DROVER_TLS_CERT" placeholder:"FILE"`
	TLSKey         string         `help:"Key file of the certificate." name:"tls-key" env:"DROVER_TLS_KEY" placeholder:"FILE"`
	AllowNetwork   []netip.Prefix `help:"Private or special network in which providers and webhooks may be called; repeatable." env:"DROVER_ALLOW_NETWORK" placeholder:"CIDR"`

	AccessTokenLifetime  time.Duration `help:"Lifetime of an access token." default:"1h" env:"DROVER_ACCESS_TOKEN_LIFETIME"`
	RefreshTokenLifetime time.Duration `help:"Lifetime of a refresh token." default:"720h" env:"DROVER_REFRESH_TOKEN_LIFETIME"`

	RateLimit       float64       `help:"Requests per second of a tenant; 0 means no limit." default:"0" env:"DROVER_RATE_LIMIT"`
	RateBurst       int           `help:"Requests that a tenant may make at once; 0 means as many as --rate-limit." default:"0" env:"DROVER_RATE_BURST"`
	MaxInFlight     int           `help:"Requests served at once, with a share for each tenant; further ones get 503. Logins have the same number of places of their own." default:"512" env:"DROVER_MAX_IN_FLIGHT"`
	MaxStreams      int           `help:"Live streams and long polls served at once, with a share for each tenant; further ones get 503." default:"10000" env:"DROVER_MAX_STREAMS"`
	StreamHeartbeat time.Duration `help:"Time after which an idle live stream sends a heartbeat." default:"15s" env:"DROVER_STREAM_HEARTBEAT"`
	MemoryLimit     Size          `help:"Memory limit of the process, such as 512MiB. The Go runtime keeps to it, and requests, answers of vendors and streams share half of it. By default the control group's limit, or a quarter of the machine's memory." env:"DROVER_MEMORY_LIMIT" placeholder:"SIZE"`
	CORSOrigin      []string      `help:"Origin that browsers may call from; repeatable, * for any." name:"cors-origin" env:"DROVER_CORS_ORIGIN" placeholder:"ORIGIN"`

	ProviderExtra   []drover.ProviderName `help:"Further provider that tenants may connect to: push, for records sent by their own programs; rfms or iso15143, for any manufacturer that serves the standard; repeatable. It is then part of this service's provider enum." env:"DROVER_PROVIDER_EXTRA" placeholder:"NAME"`
	ProviderDir     string                `help:"Folder with files that describe further vendors to connect to. It is read again when a file changes." env:"DROVER_PROVIDER_DIR" placeholder:"DIR"`
	PollInterval    time.Duration         `help:"Time between two polls of a connection; 0 means the provider's default." default:"0" env:"DROVER_POLL_INTERVAL"`
	CollectionLease time.Duration         `help:"Time after which another process takes over the connections of a process that has died." default:"1m" env:"DROVER_COLLECTION_LEASE"`

	MilestoneTimeout       time.Duration `help:"Age from which a position no longer counts as a device's current one." default:"15m" env:"DROVER_MILESTONE_TIMEOUT"`
	MilestoneRadius        float64       `help:"Radius of a milestone's start and end circles in metres." default:"200" env:"DROVER_MILESTONE_RADIUS"`
	PositionRetention      Age           `help:"Days that positions are kept, for tenants without a setting of their own; off keeps them for ever." default:"off" env:"DROVER_POSITION_RETENTION" placeholder:"DAYS"`
	EventRetention         Age           `help:"Days that events are kept; off keeps them for ever." default:"90d" env:"DROVER_EVENT_RETENTION" placeholder:"DAYS"`
	PositionEventRetention Age           `help:"Days that events about positions, the largest part of a feed, are kept; off keeps them as long as other events." default:"30d" env:"DROVER_POSITION_EVENT_RETENTION" placeholder:"DAYS"`
	PackAfter              Age           `help:"Days after which a day of positions that no longer changes is packed into blocks; off never packs." default:"1d" env:"DROVER_PACK_AFTER" placeholder:"DAYS"`
	RoutingURL             string        `help:"Address of an OSRM server for distances and times by road. In a private network, --allow-network is needed too." name:"routing-url" env:"DROVER_ROUTING_URL" placeholder:"URL" secret:"url"`
	OTLPEndpoint           string        `help:"Address of an OpenTelemetry collector that receives traces by OTLP over HTTP, such as http://127.0.0.1:4318. Without it nothing is traced." name:"otlp-endpoint" env:"DROVER_OTLP_ENDPOINT" placeholder:"URL" secret:"url"`
	TraceRatio             float64       `help:"Fraction of requests, runs and deliveries that is traced, from 0 to 1." default:"0.01" env:"DROVER_TRACE_RATIO"`
	ShutdownTimeout        time.Duration `help:"Time that running requests get to finish when the service stops." default:"15s" env:"DROVER_SHUTDOWN_TIMEOUT"`

	Map
}

// minMemory is the least memory that a process can work with.
const minMemory = 128 << 20

// Check checks what cannot be checked flag by flag. The command line calls it.
func (s *Serve) Check() error {
	if err := errors.Join(CheckAddress("--listen", s.Listen), CheckAddress("--operator-listen", s.OperatorListen),
		CheckURL("--public-url", s.PublicURL), CheckURL("--otlp-endpoint", s.OTLPEndpoint)); err != nil {
		return err
	}
	switch {
	case (s.TLSCert == "") != (s.TLSKey == ""):
		return errors.New("--tls-cert and --tls-key must be set together")
	case s.AccessTokenLifetime < time.Second || s.RefreshTokenLifetime < s.AccessTokenLifetime:
		return errors.New("--access-token-lifetime must be at least a second and no longer than --refresh-token-lifetime")
	case s.RateLimit < 0 || s.RateBurst < 0:
		return errors.New("--rate-limit and --rate-burst must not be negative")
	case s.TraceRatio < 0 || s.TraceRatio > 1 || math.IsNaN(s.TraceRatio):
		return errors.New("--trace-ratio must be from 0 to 1")
	case s.MaxInFlight < 1:
		return errors.New("--max-in-flight must be at least 1")
	case s.MemoryLimit != 0 && s.MemoryLimit < minMemory:
		return fmt.Errorf("--memory-limit must be at least %s", Size(minMemory))
	case s.RoutingURL != "" && !strings.HasPrefix(s.RoutingURL, "http://") && !strings.HasPrefix(s.RoutingURL, "https://"):
		return errors.New("--routing-url must start with http:// or https://")
	case s.PollInterval < 0 || s.CollectionLease < time.Second:
		return errors.New("--poll-interval must not be negative, and --collection-lease at least a second")
	case s.MaxStreams < 1 || s.StreamHeartbeat <= 0:
		return errors.New("--max-streams must be at least 1, and --stream-heartbeat more than 0")
	case s.MilestoneTimeout <= 0 || s.MilestoneRadius <= 0:
		return errors.New("--milestone-timeout and --milestone-radius must be more than 0")
	case s.PositionRetention != 0 && s.PositionRetention.Duration() < drover.MinPositionRetention:
		return fmt.Errorf("--position-retention must be at least %s", Age(drover.MinPositionRetention))
	case s.EventRetention != 0 && s.EventRetention.Duration() < drover.MinEventRetention:
		return fmt.Errorf("--event-retention must be at least %s", Age(drover.MinEventRetention))
	case s.PositionEventRetention != 0 && s.PositionEventRetention.Duration() < drover.MinPositionEventRetention:
		return fmt.Errorf("--position-event-retention must be at least %s", Age(drover.MinPositionEventRetention))
	}
	for _, name := range s.ProviderExtra {
		if !slices.Contains(drover.ExtraProviderNames, name) {
			return fmt.Errorf("--provider-extra: unknown provider %q; known are %q", name, drover.ExtraProviderNames)
		}
	}
	_, err := s.MapSource()
	return err
}

// CheckAddress wants an address to listen at, where there is one, of a flag.
func CheckAddress(flag, address string) error {
	if address == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("%s must be HOST:PORT such as 127.0.0.1:8080, not %q", flag, address)
	}
	return nil
}

// CheckURL wants an address of a service, where there is one, of a flag.
func CheckURL(flag, address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		return nil
	}
	// The address itself may hold a password, so it is not repeated.
	return fmt.Errorf("%s must begin with https:// or http://, such as https://drover.example", flag)
}

// DatabaseURL is the address of PostgreSQL, empty for the embedded database.
func (s *Store) DatabaseURL() (string, error) {
	return secretOf("database", s.Database, s.DatabaseFile)
}

// CheckMasterKey wants one place for the master key at the most.
func (s *Store) CheckMasterKey() error {
	var given []string
	for _, place := range []struct{ flag, value string }{
		{"--master-key", s.MasterKey}, {"--master-key-file", s.MasterKeyFile}, {"--master-key-command", s.MasterKeyCommand},
	} {
		if place.value != "" {
			given = append(given, place.flag)
		}
	}
	if len(given) > 1 {
		return fmt.Errorf("%s exclude each other", strings.Join(given, " and "))
	}
	return nil
}

// KeyInFile reports whether the master key is in a file, that of the data folder or another.
func (s *Store) KeyInFile() bool { return s.MasterKey == "" && s.MasterKeyCommand == "" }

// MasterKeyPath is the file of the master key.
func (s *Store) MasterKeyPath() string {
	if s.MasterKeyFile != "" {
		return s.MasterKeyFile
	}
	return filepath.Join(s.Data, "master.key")
}

// DatabasePath is the file of the embedded database.
func (s *Store) DatabasePath() string { return filepath.Join(s.Data, "drover.db") }

// secretOf reads a secret that may stand in a file instead.
func secretOf(name, value, file string) (string, error) {
	if file == "" {
		return value, nil
	}
	if value != "" {
		return "", fmt.Errorf("--%s and --%s-file exclude each other", name, name)
	}
	text, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return "", fmt.Errorf("read --%s-file: %w", name, err)
	}
	return strings.TrimSpace(string(text)), nil
}
