package drover

// Passkey is a key pair in a device of a user, which signs in without a password and is a second
// factor.
type Passkey struct {
	ID         string `json:"id"`
	Name       string `json:"name" doc:"How the user calls it."`
	BackedUp   bool   `json:"backed_up" doc:"Whether other devices of the user have it too."`
	CreatedAt  Time   `json:"created_at"`
	LastUsedAt *Time  `json:"last_used_at" doc:"When it was last shown; null where it never was."`
}

// PasskeyChallenge is what a browser asks a device to sign.
type PasskeyChallenge struct {
	Challenge     string   `json:"challenge" doc:"In base64url. It is good once, for what it was asked for, until expires_at."`
	RPID          string   `json:"rp_id" doc:"The host that passkeys are bound to."`
	UserHandle    *string  `json:"user_handle" doc:"What a new passkey calls its user, in base64url; null where none is made."`
	UserName      *string  `json:"user_name" doc:"What a device shows for the user; null where no passkey is made."`
	CredentialIDs []string `json:"credential_ids" doc:"The user's passkeys, in base64url: those to choose from, or not to make again. Empty at a sign-in, where the device knows."`
	ExpiresAt     Time     `json:"expires_at" doc:"Until when it is accepted."`
}

// PasskeyInput is a passkey to be added, as the browser has it.
type PasskeyInput struct {
	Name              string `json:"name" minLength:"1" maxLength:"64" doc:"How the user calls it."`
	CredentialID      string `json:"credential_id" maxLength:"1364" doc:"Its rawId, in base64url, as all below."`
	ClientData        string `json:"client_data" maxLength:"8192" doc:"Its response.clientDataJSON."`
	AuthenticatorData string `json:"authenticator_data" maxLength:"8192" doc:"Of its response.getAuthenticatorData()."`
	PublicKey         string `json:"public_key" maxLength:"2048" doc:"Of its response.getPublicKey(): ES256, RS256 or EdDSA."`
}

// PasskeyCreated is a new passkey.
type PasskeyCreated struct {
	Passkey
	RecoveryCodes []string `json:"recovery_codes" doc:"Where it is the user's first second factor: ten codes, each good once, which are shown this once. Otherwise empty."`
}

// PasskeyUpdate gives a passkey another name.
type PasskeyUpdate struct {
	Name string `json:"name" minLength:"1" maxLength:"64" doc:"How the user calls it."`
}

// PasskeyProof is what a passkey has signed, as the browser has it.
type PasskeyProof struct {
	CredentialID      string `json:"credential_id" maxLength:"1364" doc:"Its rawId, in base64url, as all below."`
	ClientData        string `json:"client_data" maxLength:"8192" doc:"Its response.clientDataJSON."`
	AuthenticatorData string `json:"authenticator_data" maxLength:"8192" doc:"Its response.authenticatorData."`
	Signature         string `json:"signature" maxLength:"2048" doc:"Its response.signature."`
	UserHandle        string `json:"user_handle,omitzero" required:"false" maxLength:"128" doc:"Its response.userHandle, where it has one. A sign-in without a password needs it."`
}
