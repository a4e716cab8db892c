package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/drover-fleet/drover/client"
	"github.com/drover-fleet/drover/internal/config"
)

// remote is the service that the commands of people at a terminal call: what drover
// login has kept, or what the environment says.
type remote struct {
	URL    string `help:"Address of the service; by default that of the login." env:"DROVER_URL" placeholder:"URL"`
	APIKey string `help:"API key; by default the login is used." name:"api-key" env:"DROVER_API_KEY" placeholder:"KEY"`
}

// acting is a remote that a key of the operator may call in a tenant.
type acting struct {
	remote
	Tenant string `help:"Id of the tenant that a key of the operator acts in." env:"DROVER_TENANT" placeholder:"ID"`
}

func (a acting) open() (c *client.Client, keep func() error, err error) {
	return a.remote.open(a.Tenant)
}

// Check refuses an address without a scheme.
func (r *remote) Check() error { return config.CheckURL("--url", r.URL) }

// login is what drover login keeps.
type login struct {
	URL string `json:"url"`
	client.Token
}

func loginPath() (string, error) {
	folder, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the folder for the login: %w", err)
	}
	return filepath.Join(folder, "drover", "login.json"), nil
}

// open makes a client that acts in a tenant, if one is given, and a function that keeps
// tokens that were renewed meanwhile.
func (r remote) open(tenant string) (c *client.Client, keep func() error, err error) {
	if r.APIKey != "" {
		if r.URL == "" {
			return nil, nil, misused("--api-key needs --url")
		}
		return client.New(r.URL, client.WithAPIKey(r.APIKey), client.InTenant(tenant)), func() error { return nil }, nil
	}
	path, err := loginPath()
	if err != nil {
		return nil, nil, err
	}
	var kept login
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, errors.New("there is no login: run drover login URL, or give --url and --api-key")
	}
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read the login: %w", err)
	}
	if r.URL != "" && r.URL != kept.URL {
		return nil, nil, fmt.Errorf("you are logged in at %s: run drover login %s", kept.URL, r.URL)
	}
	c = client.New(kept.URL, client.WithToken(kept.Token), client.InTenant(tenant))
	return c, func() error {
		if c.Tokens() == kept.Token {
			return nil
		}
		return login{kept.URL, c.Tokens()}.save()
	}, nil
}

// save keeps the login for its owner alone.
func (l login) save() error {
	path, err := loginPath()
	if err != nil {
		return err
	}
	text, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("keep the login: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("keep the login: %w", err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return fmt.Errorf("keep the login: %w", err)
	}
	return nil
}

type loginCommand struct {
	URL      string `arg:"" help:"Address of the service." placeholder:"URL"`
	Username string `help:"Username or e-mail address; without it, an API key is read." placeholder:"NAME"`
	Code     string `help:"Code of the second factor, for users who have one." placeholder:"CODE"`
}

// Check refuses an address without a scheme.
func (c *loginCommand) Check() error { return config.CheckURL("the address", c.URL) }

func (loginCommand) Help() string {
	return "Reads the password, or the API key, from standard input and keeps the login in the user's configuration folder.\n\n" +
		example("drover login https://drover.example --username demo < password.txt", "drover login https://drover.example < key.txt")
}

func (c *loginCommand) Run(w world) error {
	text, err := io.ReadAll(io.LimitReader(w.in, 1<<16))
	if err != nil {
		return fmt.Errorf("read the secret: %w", err)
	}
	secret := strings.TrimSpace(string(text))
	l := login{URL: strings.TrimRight(c.URL, "/"), Token: client.Token{Access: secret}}
	service := client.New(l.URL, client.WithAPIKey(secret))
	if c.Username != "" {
		if l.Token, err = service.Login(w, c.Username, secret, c.Code); err != nil {
			return err
		}
	} else if _, err := service.GetAccountSummary(w); err != nil {
		return err
	}
	if err := l.save(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w.out, "logged in at", l.URL)
	return err
}

type apiCommand struct {
	acting
	Method   string   `arg:"" help:"GET, POST, PUT, PATCH or DELETE." placeholder:"METHOD"`
	Path     string   `arg:"" help:"Path of the operation, with its query." placeholder:"PATH"`
	Field    []string `short:"f" sep:"none" help:"Field of the body, name=value; a value that is JSON is sent as such." placeholder:"NAME=VALUE"`
	Input    string   `help:"File with the body; - is standard input." placeholder:"FILE"`
	Paginate bool     `help:"Read all pages, one record per line."`
}

func (apiCommand) Help() string {
	return "Calls any operation and prints its answer.\n\n" +
		example("drover api GET /device", "drover api GET '/trip?is_valid=false' --paginate",
			"drover api PATCH /device/ID -f description=Truck -f year=2020")
}

func (c *apiCommand) Run(w world) error {
	service, keep, err := c.open()
	if err != nil {
		return err
	}
	path, rawQuery, _ := strings.Cut(c.Path, "?")
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return fmt.Errorf("read the query: %w", err)
	}
	body, err := c.body(w)
	if err != nil {
		return err
	}
	if c.Paginate {
		for record, err := range client.List[json.RawMessage](w, service, path, query) {
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintln(w.out, string(record)); err != nil {
				return err
			}
		}
		return keep()
	}
	var data json.RawMessage
	if _, err := service.Do(w, strings.ToUpper(c.Method), path, query, body, &data); err != nil {
		return err
	}
	if len(data) > 0 {
		enc := json.NewEncoder(w.out)
		enc.SetIndent("", "  ")
		if err := enc.Encode(data); err != nil {
			return fmt.Errorf("print the answer: %w", err)
		}
	}
	return keep()
}

// body is what is sent: a file, or fields; nil where there is none.
func (c *apiCommand) body(w world) (any, error) {
	if c.Input != "" {
		text, err := os.ReadFile(c.Input)
		if c.Input == "-" {
			text, err = io.ReadAll(w.in)
		}
		if err != nil {
			return nil, fmt.Errorf("read the body: %w", err)
		}
		return json.RawMessage(text), nil
	}
	if len(c.Field) == 0 {
		return nil, nil //nolint:nilnil // no body is no fault
	}
	fields := map[string]any{}
	for _, f := range c.Field {
		name, value, ok := strings.Cut(f, "=")
		if !ok {
			return nil, misused("--field %s: must be name=value", f)
		}
		fields[name] = value
		if json.Valid([]byte(value)) {
			fields[name] = json.RawMessage(value)
		}
	}
	return fields, nil
}
