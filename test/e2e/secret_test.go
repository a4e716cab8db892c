package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/keys/secret"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
	"github.com/drover-fleet/drover/test/e2e/world"
)

// credential is a vendor's secret that is easy to find again.
const credential = "kestrel-marmalade-9041-quixotic"

// TestNoSecretLeaks works with credentials in every way there is and then looks
// for them, and for the keys, wherever they could have been left behind.
func TestNoSecretLeaks(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s site) {
		t.Helper()
		p := serve(t, s)
		id := useCredential(t, s, p)
		metrics := anonymous(t, p).status(t, http.StatusOK, http.MethodGet, "/metrics", "")

		secrets := s.keys(t)
		secrets["credential"] = []byte(credential)
		secrets["password"] = []byte(world.Password)
		places := map[string][]byte{
			"log": []byte(p.log.String()), "standard output": []byte(p.stdout.String()), "metrics": []byte(metrics),
			"config": []byte(s.drover(t, "", "config")), "key list": []byte(s.drover(t, "", "key", "list")),
			"doctor": []byte(s.drover(t, "", "doctor")),
		}
		s.addStored(t, places)
		for place, content := range places {
			for name, value := range secrets {
				if form := findSecret(content, value); form != "" {
					t.Errorf("%s holds the %s, %s", place, name, form)
				}
			}
		}
		provesSomething(t, places, id)
	})
}

// useCredential creates, reads, refuses, repeats and rotates.
func useCredential(t *testing.T, s site, p *process) (connectionID string) {
	t.Helper()
	c := logIn(t, p, "demo")
	var made drover.Connection
	c.must(t, &made, http.MethodPost, "/connection", connectionBody("Leak", credential))
	path := "/connection/" + made.ID
	read := func() {
		if got := c.status(t, http.StatusOK, http.MethodGet, path+"/credentials", ""); !strings.Contains(got, credential) {
			t.Errorf("the credentials are %s, want %q among them", got, credential)
		}
	}
	read()
	for _, body := range []string{
		`{"integration_name":"traccar","business_name":1,"credentials":{"token":"` + credential + `"}}`,
		`{"integration_name":"traccar","business_name":"x","credentials":{"token":"` + credential + `"}`,
		`{"integration_name":"traccar","business_name":"x","credentials":"` + credential + `"}`,
		`{"integration_name":"traccar","business_name":"x","credentials":{"base_url":"http://10.0.0.1/","token":"` + credential + `"}}`,
	} {
		if got := c.status(t, http.StatusUnprocessableEntity, http.MethodPost, "/connection", body); strings.Contains(got, credential) {
			t.Errorf("a refusal repeats the credential: %s", got)
		}
	}
	c.status(t, http.StatusNotFound, http.MethodGet, "/"+credential, "")
	c.status(t, http.StatusNotFound, http.MethodGet, "/device/"+credential, "")
	c.status(t, http.StatusUnprocessableEntity, http.MethodGet, "/device?limit="+credential, "")
	(&client{base: c.base, token: credential, http: c.http}).status(t, http.StatusBadRequest, http.MethodGet, path, "")
	logIn(t, p, "other").status(t, http.StatusForbidden, http.MethodGet, path+"/credentials", "")
	anonymous(t, p).status(t, http.StatusUnauthorized, http.MethodPost, "/token", `{"username":"demo","password":"`+credential+`"}`)
	for _, path := range []string{path, "/connection", "/account/summary", "/account/activity-summary", "/provider"} {
		if got := c.status(t, http.StatusOK, http.MethodGet, path, ""); strings.Contains(got, credential) {
			t.Errorf("GET %s shows the credential", path)
		}
	}
	s.drover(t, "", "key", "rotate", "--log-level", "debug")
	read()
	return made.ID
}

// keys are the secrets that the installation made for itself.
func (s site) keys(t *testing.T) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.data, "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	secrets := map[string][]byte{"master key": raw}
	master, err := secret.ParseMaster(string(text))
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), store.Options{URL: s.database, Path: filepath.Join(s.data, "drover.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	signing, err := db.Accounts.Keys(t.Context(), account.SigningKeys)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range signing {
		if secrets["signing key "+k.ID], err = master.Open(k.Sealed, []byte("signing key "+k.ID)); err != nil {
			t.Fatal(err)
		}
	}
	if len(secrets) != 3 {
		t.Fatalf("%d secrets found, want the master key and two signing keys", len(secrets))
	}
	return secrets
}

// addStored adds what lies on disk: the files of SQLite with its log, or those
// of the whole PostgreSQL server with its log, and all its rows as text.
func (s site) addStored(t *testing.T, places map[string][]byte) {
	t.Helper()
	folder := s.data
	if s.database != "" {
		folder = shared.postgres.Dir()
		places["rows"] = s.rows(t)
	}
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil // PostgreSQL removes files of its own while we look
		}
		if err != nil || !entry.Type().IsRegular() || entry.Name() == "master.key" {
			return err
		}
		content, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			return nil
		}
		places[strings.TrimPrefix(path, folder)] = content
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// rows is every row of the database as text, binary values in hex.
func (s site) rows(t *testing.T) []byte {
	t.Helper()
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, s.database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(ctx)) // nothing was left undone
	if _, err := conn.Exec(ctx, `CHECKPOINT`); err != nil {
		t.Fatal(err)
	}
	found, err := conn.Query(ctx, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(found, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	for _, table := range tables {
		found, err := conn.Query(ctx, `SELECT r::text FROM `+pgx.Identifier{table}.Sanitize()+` r`)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := pgx.CollectRows(found, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "%s: %q\n", table, rows)
	}
	return all.Bytes()
}

// provesSomething checks that what is no secret was found in the same places.
func provesSomething(t *testing.T, places map[string][]byte, connectionID string) {
	t.Helper()
	stored := 0
	for _, content := range places {
		if bytes.Contains(content, []byte("Leak")) {
			stored++
		}
	}
	if stored == 0 {
		t.Errorf("connection %s was found nowhere: the search looks in the wrong places", connectionID)
	}
	if !bytes.Contains(places["log"], []byte("route=/connection/{connection_id}/credentials")) {
		t.Error("the log does not show the requests")
	}
	if !bytes.Contains(places["metrics"], []byte("/connection/{connection_id}/credentials")) {
		t.Error("the metrics do not show the requests")
	}
}

// findSecret looks for a value as it is, in hex and in base64, and says in which
// form it is there.
func findSecret(content, value []byte) string {
	if bytes.Contains(content, value) {
		return "as it is"
	}
	digits := hex.EncodeToString(value)
	if bytes.Contains(content, []byte(digits)) || bytes.Contains(content, []byte(strings.ToUpper(digits))) {
		return "in hex"
	}
	// In base64 a text looks different at each of three offsets. The letters at
	// both ends depend on the neighbours and are left out.
	for offset := range 3 {
		padded := append(make([]byte, offset), value...)
		padded = padded[:len(padded)-len(padded)%3]
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			letters := encoding.EncodeToString(padded)[4*((offset+2)/3):]
			if bytes.Contains(content, []byte(letters)) {
				return "in base64"
			}
		}
	}
	return ""
}

func TestFindSecret(t *testing.T) {
	t.Parallel()
	value := []byte(credential)
	for _, content := range []string{
		"x" + credential + "y", hex.EncodeToString(value), strings.ToUpper(hex.EncodeToString(value)),
		base64.StdEncoding.EncodeToString([]byte(credential)), base64.RawURLEncoding.EncodeToString([]byte("a" + credential + "b")),
		base64.StdEncoding.EncodeToString([]byte("ab" + credential + "c")), base64.StdEncoding.EncodeToString([]byte("abcd" + credential)),
	} {
		if findSecret([]byte(content), value) == "" {
			t.Errorf("not found in %s", content)
		}
	}
	if form := findSecret([]byte("kestrel-marmalade"), value); form != "" {
		t.Errorf("found in something else, %s", form)
	}
}
