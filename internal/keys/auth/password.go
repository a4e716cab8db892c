package auth

import (
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
)

// The cost of a password hash: argon2id as OWASP's cheat sheet on password
// storage advises it. Hashes carry their own cost, so changing these leaves the
// stored ones valid.
const (
	argonMemoryKiB = 19456
	argonPasses    = 2
	argonLanes     = 1
	saltBytes      = 16
	hashBytes      = 32
)

// The bounds of a password's length. The upper one only keeps a request from
// making the service hash a book.
const (
	minPasswordBytes = 8
	MaxPasswordBytes = 1024
)

// errHash says that a stored password hash cannot be read.
var errHash = errors.New("stored password hash is not a usable argon2id hash")

// checkPassword says what is wrong with a password that someone chose.
func checkPassword(password string) error {
	if n := len(password); n < minPasswordBytes || n > MaxPasswordBytes {
		return fmt.Errorf("password must have %d to %d bytes", minPasswordBytes, MaxPasswordBytes)
	}
	return nil
}

// Hash returns the argon2id hash of an acceptable password in PHC form, with a
// salt taken from rand. It takes 19 MiB while it runs: a server calls it
// through a Hasher.
func Hash(password string, rand io.Reader) (string, error) {
	if err := checkPassword(password); err != nil {
		return "", err
	}
	salt := make([]byte, saltBytes)
	if _, err := io.ReadFull(rand, salt); err != nil {
		return "", fmt.Errorf("make salt: %w", err)
	}
	h := phc{memory: argonMemoryKiB, passes: argonPasses, lanes: argonLanes, salt: salt}
	h.sum = h.compute(password, hashBytes)
	return h.String(), nil
}

// Verify reports whether password is the one that was hashed. The error is
// ErrHash. It takes as much memory as Hash did.
func Verify(hash, password string) (bool, error) {
	h, err := parsePHC(hash)
	if err != nil {
		return false, err
	}
	got := h.compute(password, uint32(len(h.sum)))
	return subtle.ConstantTimeCompare(got, h.sum) == 1, nil
}

// phc is a password hash as its text tells it.
type phc struct {
	memory, passes uint32
	lanes          uint8
	salt, sum      []byte
}

func (h phc) compute(password string, n uint32) []byte {
	return argon2.IDKey([]byte(password), h.salt, h.passes, h.memory, h.lanes, n)
}

func (h phc) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.memory, h.passes, h.lanes,
		base64.RawStdEncoding.EncodeToString(h.salt), base64.RawStdEncoding.EncodeToString(h.sum))
}

// The most a stored hash may cost. A row that someone wrote by hand must not
// make one login take all memory.
const (
	maxMemoryKiB = 256 << 10
	maxPasses    = 16
	maxLanes     = 16
)

func parsePHC(text string) (phc, error) {
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != "v="+strconv.Itoa(argon2.Version) {
		return phc{}, errHash
	}
	h, ok := parseCost(parts[3])
	if !ok {
		return phc{}, errHash
	}
	var errSalt, errSum error
	h.salt, errSalt = base64.RawStdEncoding.DecodeString(parts[4])
	h.sum, errSum = base64.RawStdEncoding.DecodeString(parts[5])
	// An empty or very short sum would be equal to that of any password.
	if errSalt != nil || errSum != nil || len(h.salt) < 8 || len(h.sum) < 16 || len(h.sum) > 64 {
		return phc{}, errHash
	}
	return h, nil
}

func parseCost(text string) (phc, bool) {
	parts := strings.Split(text, ",")
	if len(parts) != 3 {
		return phc{}, false
	}
	memory, okMemory := parseParam(parts[0], "m=", maxMemoryKiB)
	passes, okPasses := parseParam(parts[1], "t=", maxPasses)
	lanes, okLanes := parseParam(parts[2], "p=", maxLanes)
	return phc{memory: memory, passes: passes, lanes: uint8(lanes)}, okMemory && okPasses && okLanes
}

func parseParam(text, name string, limit uint32) (uint32, bool) {
	digits, ok := strings.CutPrefix(text, name)
	n, err := strconv.ParseUint(digits, 10, 32)
	return uint32(n), ok && err == nil && n >= 1 && n <= uint64(limit)
}
