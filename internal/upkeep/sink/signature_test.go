package sink_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/drover-fleet/drover/internal/upkeep/sink"
)

// streamed is what stands for the hash of a body whose chunks are signed one by one.
const streamed = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"

// signature checks requests by the rules that Amazon publishes (Signature Version 4),
// without the library that signs them.
type signature struct {
	secret, date, scope string
	key                 []byte
}

func sum(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

func hash(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

func (s *signature) sign(text string) string { return hex.EncodeToString(sum(s.key, text)) }

// check returns the content of a request's body, or what is wrong with it.
func (s *signature) check(r *http.Request, body []byte) ([]byte, error) {
	fields := map[string]string{}
	for part := range strings.SplitSeq(strings.TrimPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 "), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		fields[name] = value
	}
	_, s.scope, _ = strings.Cut(fields["Credential"], "/")
	s.date, s.key = r.Header.Get("X-Amz-Date"), []byte("AWS4"+s.secret)
	for part := range strings.SplitSeq(s.scope, "/") {
		s.key = sum(s.key, part)
	}
	content := r.Header.Get("X-Amz-Content-Sha256")
	var headers strings.Builder
	for name := range strings.SplitSeq(fields["SignedHeaders"], ";") {
		fmt.Fprintf(&headers, "%s:%s\n", name, headerOf(r, name))
	}
	request := strings.Join([]string{
		r.Method, r.URL.EscapedPath(), query(r.URL.Query()), headers.String(), fields["SignedHeaders"],
		content,
	}, "\n")
	want := s.sign("AWS4-HMAC-SHA256\n" + s.date + "\n" + s.scope + "\n" + hash([]byte(request)))
	switch {
	case fields["Signature"] != want:
		return nil, fmt.Errorf("%s %s has the signature %q, want %s", r.Method, r.URL, fields["Signature"], want)
	case content == streamed:
		return s.checkChunks(body, want)
	case content != "UNSIGNED-PAYLOAD" && content != hash(body):
		return nil, fmt.Errorf("the body of %s %s is not the one that was signed", r.Method, r.URL)
	}
	return body, nil
}

func headerOf(r *http.Request, name string) string {
	switch name {
	case "host":
		return r.Host
	case "content-length":
		return strconv.FormatInt(r.ContentLength, 10)
	default:
		return strings.TrimSpace(strings.Join(r.Header.Values(name), ","))
	}
}

func query(values url.Values) string {
	return strings.ReplaceAll(values.Encode(), "+", "%20") // it is sorted by name
}

// checkChunks checks chunks, each of which is signed together with the signature before.
func (s *signature) checkChunks(body []byte, before string) (content []byte, err error) {
	for {
		line, rest, found := bytes.Cut(body, []byte("\r\n"))
		size, signed, _ := strings.Cut(string(line), ";chunk-signature=")
		n, err := strconv.ParseInt(size, 16, 32)
		if !found || err != nil || int(n)+2 > len(rest) {
			return nil, fmt.Errorf("a chunk begins with %q", line)
		}
		want := s.sign(strings.Join([]string{"AWS4-HMAC-SHA256-PAYLOAD", s.date, s.scope, before, hash(nil), hash(rest[:n])}, "\n"))
		if signed != want {
			return nil, fmt.Errorf("a chunk of %d bytes has the signature %q, want %s", n, signed, want)
		}
		if content, body, before = append(content, rest[:n]...), rest[n+2:], want; n == 0 {
			return content, nil
		}
	}
}

// TestPublishedSignatures holds the check itself to the examples of Amazon's
// documentation: a request that reads a range, and an upload in chunks.
func TestPublishedSignatures(t *testing.T) {
	t.Parallel()
	const credential = "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders="
	s := signature{secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}

	get := httptest.NewRequest(http.MethodGet, "https://examplebucket.s3.amazonaws.com/test.txt", nil)
	get.Header.Set("Range", "bytes=0-9")
	get.Header.Set("X-Amz-Content-Sha256", hash(nil))
	get.Header.Set("X-Amz-Date", "20130524T000000Z")
	get.Header.Set("Authorization", credential+"host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
	if _, err := s.check(get, nil); err != nil {
		t.Error(err)
	}
	get.Header.Set("Range", "bytes=0-8")
	if _, err := s.check(get, nil); err == nil {
		t.Error("another range has the same signature")
	}

	a := strings.Repeat("a", 65536)
	body := "10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n" + a +
		"\r\n400;chunk-signature=0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497\r\n" + a[:1024] +
		"\r\n0;chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n\r\n"
	put := httptest.NewRequest(http.MethodPut, "https://s3.amazonaws.com/examplebucket/chunkObject.txt", strings.NewReader(body))
	for name, value := range map[string]string{
		"X-Amz-Date": "20130524T000000Z", "X-Amz-Storage-Class": "REDUCED_REDUNDANCY", "X-Amz-Content-Sha256": streamed,
		"Content-Encoding":             "aws-chunked",
		"X-Amz-Decoded-Content-Length": "66560", "Authorization": credential +
			"content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class,Signature=4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
	} {
		put.Header.Set(name, value)
	}
	if content, err := s.check(put, []byte(body)); err != nil || len(content) != 66560 {
		t.Errorf("%d bytes, %v", len(content), err)
	}
	if _, err := s.check(put, []byte(strings.Replace(body, "aaa\r\n400", "aab\r\n400", 1))); err == nil {
		t.Error("another body has the same signature")
	}
}

// TestBucketSigns has a store that refuses what is not signed with its secret, as those
// on the internet do.
func TestBucketSigns(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "the secret")
	backend := s3mem.New()
	if err := backend.CreateBucket("fleet"); err != nil {
		t.Fatal(err)
	}
	store := gofakes3.New(backend).Server()
	var secret atomic.Value
	var parts atomic.Int64
	secret.Store("the secret")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			body, err = (&signature{secret: secret.Load().(string)}).check(r, body)
		}
		if r.URL.Query().Has("partNumber") {
			parts.Add(1)
		}
		if err != nil {
			w.WriteHeader(http.StatusForbidden)
			_, _ = fmt.Fprintf(w, `<Error><Code>SignatureDoesNotMatch</Code><Message>%s</Message></Error>`, err) // the caller may have gone away
			return
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		for _, name := range []string{"X-Amz-Content-Sha256", "X-Amz-Decoded-Content-Length", "Content-Encoding"} {
			r.Header.Del(name)
		}
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		store.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	bucket, err := sink.OpenBucket("s3://fleet/a folder+1", server.URL, "us-east-1")
	if err != nil {
		t.Fatal(err)
	}
	const name = "positions/tenant=1/day=2026-05-04/positions.parquet"
	large := strings.Repeat("a day of positions ", 1<<20) // 19 MiB: it is sent in parts
	for i, text := range []string{"small", large} {
		version := strconv.Itoa(i)
		put := func() error {
			return bucket.Put(t.Context(), name, version, func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			})
		}
		if err := put(); err != nil {
			t.Fatal(err)
		}
		if got, err := bucket.Version(t.Context(), name); err != nil || got != version {
			t.Errorf("version %q, %v; want %q", got, err, version)
		}
		object, err := backend.GetObject("fleet", "a folder+1/"+name, nil)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := io.ReadAll(object.Contents)
		if err = errors.Join(err, object.Contents.Close()); err != nil || string(stored) != text {
			t.Errorf("%d bytes are stored, %v; want %d", len(stored), err, len(text))
		}
		secret.Store("another")
		if err := put(); err == nil || !strings.Contains(err.Error(), "signature") {
			t.Errorf("with the wrong secret the error is %v", err)
		}
		secret.Store("the secret")
	}
	if parts.Load() < 2 {
		t.Errorf("%d parts were sent, want 2 or more of the large file", parts.Load())
	}
}
