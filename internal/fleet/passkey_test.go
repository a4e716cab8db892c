package fleet_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/binary"
	"log/slog"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/keys/secret"
	"github.com/drover-fleet/drover/internal/keys/vault"
)

// TestPasskeyAtTwoProcesses holds that what one process asks a device to sign another accepts, and
// that all processes together accept it once.
func TestPasskeyAtTwoProcesses(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx, addr := r.t.Context(), "192.0.2.9:80"
		r.options.PublicURL = "https://fleet.example"
		var processes [2]*fleet.Service // which share nothing but the database and the master key
		for i := range processes {
			master := must(r, func() (*secret.Master, error) { return secret.ParseMaster(strings.Repeat("ab", 32)) })
			r.options.Vault = must(r, func() (*vault.Vault, error) {
				return vault.Open(ctx, vault.Options{Store: r.store, Master: master, Now: r.options.Now, Logger: slog.New(slog.DiscardHandler)})
			})
			r.hashWith(auth.NewHasher(rand.Reader, 2))
			processes[i] = r.Service
		}
		must(r, func() (drover.User, error) {
			return r.Identity.CreateUser(ctx, r.owner, drover.UserInput{
				Username: "ann", Email: "ann@mail.example", Role: drover.RoleViewer, Password: new(factorPassword),
			})
		})
		p, _, err := r.Identity.OpenConsole(ctx, addr, identity.Credentials{Name: "ann", Password: factorPassword})
		if err != nil {
			r.t.Fatal(err)
		}
		text := auth.PasskeyText.EncodeToString
		clientData := func(kind, challenge string) []byte {
			return []byte(`{"type":"` + kind + `","challenge":"` + challenge + `","origin":"https://fleet.example"}`)
		}
		public, private, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			r.t.Fatal(err)
		}
		key := must(r, func() ([]byte, error) { return x509.MarshalPKIXPublicKey(public) })
		site, name := sha256.Sum256([]byte("fleet.example")), []byte("credential")
		head := binary.BigEndian.AppendUint32(append(site[:], 1|4), 0)
		made := append(append([]byte{}, head[:32]...), 1|4|64)
		made = append(binary.BigEndian.AppendUint16(append(made, make([]byte, 4+16)...), uint16(len(name))), append(name, 0xa5)...)
		start := must(r, func() (drover.PasskeyChallenge, error) {
			return processes[0].Identity.BeginPasskey(ctx, p, addr, drover.FactorInput{Password: new(factorPassword)})
		})
		must(r, func() (drover.PasskeyCreated, error) {
			return processes[1].Identity.AddPasskey(ctx, p, drover.PasskeyInput{
				Name: "Laptop", CredentialID: text(name), ClientData: text(clientData(auth.PasskeyCreate, start.Challenge)),
				AuthenticatorData: text(made), PublicKey: text(key),
			})
		})

		challenge := must(r, processes[0].Identity.BeginPasskeySignIn)
		client := clientData(auth.PasskeyGet, challenge.Challenge)
		about := sha256.Sum256(client)
		proof := drover.PasskeyProof{
			CredentialID: text(name), ClientData: text(client), AuthenticatorData: text(head),
			Signature: text(ed25519.Sign(private, append(append([]byte{}, head...), about[:]...))), UserHandle: *start.UserHandle,
		}
		if _, cookie, err := processes[1].Identity.SignInByPasskey(ctx, addr, proof); err != nil || cookie == "" {
			r.t.Errorf("the other process: %v", err)
		}
		for i, process := range processes {
			if _, _, err := process.Identity.SignInByPasskey(ctx, addr, proof); drover.ErrorKind(err) != drover.KindUnauthenticated {
				r.t.Errorf("again at process %d: %v", i, err)
			}
		}
	})
}
