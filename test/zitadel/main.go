// Command zitadel is the example provider of zitadel/oidc, a certified OpenID Connect library, to
// sign in at in tests. Its ID token has no more than the subject: address, name and groups come
// from the userinfo endpoint alone, as the standard has it. It has a module of its own: what is
// tested must not need it.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
)

// people has a user who is called ann and one who is called bob.
type people map[string]*storage.User

func (p people) GetUserByID(id string) *storage.User { return p[id] }

func (p people) GetUserByUsername(name string) *storage.User { return p["id-of-"+name] }

func (people) ExampleClientID() string { return "" }

// withGroups is the example's storage, whose userinfo has groups.
type withGroups struct{ *storage.Storage }

// SetUserinfoFromToken implements op.Storage: what the userinfo endpoint answers.
func (s withGroups) SetUserinfoFromToken(ctx context.Context, info *oidc.UserInfo, tokenID, subject, origin string) error {
	if err := s.Storage.SetUserinfoFromToken(ctx, info, tokenID, subject, origin); err != nil {
		return err
	}
	if subject == "id-of-ann" {
		info.AppendClaims("groups", []string{"fleet-admins"})
	}
	return nil
}

func main() {
	redirect := flag.String("redirect", "", "redirect address of the client")
	flag.Parse()
	if err := run(*redirect); err != nil {
		log.Fatal(err)
	}
}

func run(redirect string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	issuer := "http://" + listener.Addr().String()
	storage.RegisterClients(storage.WebClient("drover", "a client secret of the tests", redirect))
	known := people{}
	for _, name := range []string{"ann", "bob"} {
		known["id-of-"+name] = &storage.User{
			ID: "id-of-" + name, Username: name, Password: "a password of the tests", Email: name + "@northern.example", EmailVerified: true,
		}
	}
	fmt.Println("issuer", issuer)
	handler := exampleop.SetupServer(issuer, withGroups{storage.NewStorage(known)}, slog.New(slog.DiscardHandler), false)
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	return server.Serve(listener)
}
