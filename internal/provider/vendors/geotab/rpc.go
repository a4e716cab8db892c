package geotab

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/session"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	defaultServer = "my.geotab.com"
	// thisServer is the path of a login where the database is on the server asked.
	thisServer = "ThisServer"
	// quotaPeriod is how long to wait where a quota is used up and no header says.
	quotaPeriod = time.Minute
)

// object is a JSON object of a request.
type object map[string]any

// call makes one call of a session.
func (a *Adapter) call(ctx context.Context, method, entity string, params object, into any) error {
	return a.session.Do(ctx, func(ctx context.Context, id string) error {
		params["typeName"] = entity
		params["credentials"] = object{
			"database":  a.cfg.Credentials["database"],
			"userName":  a.cfg.Credentials["username"],
			"sessionId": id,
		}
		ctx = outbound.WithRetry(outbound.WithOperation(ctx, method+" "+entity))
		return a.send(ctx, method, params, into)
	})
}

// login opens a session. The answer may name another server for all that follows.
func (a *Adapter) login(ctx context.Context) (session.Token, error) {
	var answer struct {
		Credentials struct {
			SessionID string `json:"sessionId"`
		} `json:"credentials"`
		Path string `json:"path"`
	}
	params := object{
		"database": a.cfg.Credentials["database"],
		"userName": a.cfg.Credentials["username"],
		"password": a.cfg.Credentials["password"],
	}
	if err := a.send(outbound.WithOperation(ctx, "Authenticate"), "Authenticate", params, &answer); err != nil {
		return session.Token{}, err
	}
	if answer.Credentials.SessionID == "" {
		return session.Token{}, provider.Errorf(provider.KindTemporary, "the login gave no session")
	}
	if answer.Path != "" && !strings.EqualFold(answer.Path, thisServer) {
		a.server = hostOf(answer.Path)
	}
	return session.Token{Value: answer.Credentials.SessionID}, nil
}

// feed reads on from a version of a feed, or from what search says where version
// is empty.
func feed[T any](ctx context.Context, a *Adapter, entity, version string, search object, limit int) (rows []T, next string, err error) {
	params := object{"fromVersion": wire.NonZero(version), "search": search, "resultsLimit": limit}
	var answer struct {
		Data      []T       `json:"data" required:"true"`
		ToVersion wire.Text `json:"toVersion"`
	}
	if err := a.call(ctx, "GetFeed", entity, params, &answer); err != nil {
		return nil, "", err
	}
	if answer.ToVersion == "" {
		return nil, "", provider.Errorf(provider.KindTemporary, "the feed of %s gave no version", entity)
	}
	return answer.Data, answer.ToVersion.String(), nil
}

// send makes one request. Failures come with status 200 and an error in the body.
func (a *Adapter) send(ctx context.Context, method string, params object, into any) error {
	req, err := wire.PostJSON(ctx, a.url(), object{"jsonrpc": "2.0", "method": method, "params": params})
	if err != nil {
		return err
	}
	answer := wire.Answer{Doer: a.cfg.HTTP}
	return client.JSON(ctx, &answer, req, into, func(body []byte) ([]byte, error) {
		var parts struct {
			Result json.RawMessage `json:"result"`
			Error  *failure        `json:"error"`
		}
		if err := json.Unmarshal(body, &parts); err != nil {
			return nil, err
		}
		if parts.Error != nil {
			a.cfg.Observe("error", parts.Error.shape())
			return nil, parts.Error.meaning(answer.Header, a.cfg.Now())
		}
		if len(parts.Result) == 0 || string(parts.Result) == "null" { // while the vendor maintains a server
			return nil, outbound.FormError("it has no result")
		}
		return parts.Result, nil
	})
}

func (a *Adapter) url() string {
	if a.cfg.BaseURL != "" {
		return client.Below(a.cfg.BaseURL, "/apiv1")
	}
	return "https://" + a.server + "/apiv1"
}

// failure is the error of an answer, in its present and in its older shape.
type failure struct {
	Data struct {
		Type string `json:"type"`
	} `json:"data"`
	Errors []struct {
		Name string `json:"name"`
	} `json:"errors"`
}

var typeName = regexp.MustCompile(`^[A-Za-z]{1,60}$`)

// name returns the type of the failure. Its message is not shown to anyone: it
// may quote the request.
func (f *failure) name() string {
	name := f.Data.Type
	if name == "" && len(f.Errors) > 0 {
		name = f.Errors[0].Name
	}
	if !typeName.MatchString(name) {
		return "an unknown error"
	}
	return name
}

// shape says in which of its shapes the failure came.
func (f *failure) shape() string {
	switch {
	case f.Data.Type != "":
		return "data.type"
	case len(f.Errors) > 0:
		return "errors.name"
	default:
		return "unknown"
	}
}

func (f *failure) meaning(header http.Header, now time.Time) error {
	switch name := f.name(); name {
	case "InvalidUserException":
		return provider.Errorf(provider.KindCredentials, "the provider refused the credentials")
	case "OverLimitException":
		err := provider.Errorf(provider.KindRateLimited, "the provider asks for fewer calls (%s)", name)
		var said bool
		if err.Until, said = outbound.ParseRetryAfter(header.Get("Retry-After"), now); !said {
			err.Until = now.Add(quotaPeriod)
		}
		return err
	case "ArgumentException", "ArgumentNullException", "MissingMethodException", "JsonSerializerException", "InvalidPermissionsException":
		return provider.Errorf(provider.KindPermanent, "the provider refuses the call (%s)", name)
	default:
		return provider.Errorf(provider.KindTemporary, "the provider failed (%s)", name)
	}
}
