package sink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Bucket keeps the files in a bucket of any store that speaks S3. It holds the two methods of
// the library's client that it calls and not the client, of which the linker would keep all
// methods: a Bucket is used as an interface.
type Bucket struct {
	stat func(ctx context.Context, bucket, object string, o minio.StatObjectOptions) (minio.ObjectInfo, error)
	put  func(ctx context.Context, bucket, object, file string, o minio.PutObjectOptions) (minio.UploadInfo, error)

	name, prefix string
}

// partSize is in what a large file is sent: what is held in memory at once.
const partSize = 16 << 20

// OpenBucket opens the bucket of an address s3://NAME/PREFIX. The endpoint is where the
// store answers, empty for Amazon's. Credentials are found as other programs find them:
// the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the file of the AWS command
// line, or the machine's role.
func OpenBucket(address, endpoint, region string) (*Bucket, error) {
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "s3" || at.Host == "" || at.User != nil || at.RawQuery != "" {
		return nil, fmt.Errorf("%s: a bucket is s3://NAME or s3://NAME/PREFIX", address)
	}
	host, secure := "s3.amazonaws.com", true
	if endpoint != "" {
		e, err := url.Parse(endpoint)
		if err != nil || e.Scheme != "https" && e.Scheme != "http" || e.Host == "" || strings.Trim(e.Path, "/") != "" {
			return nil, fmt.Errorf("%s: an endpoint is an address such as https://s3.example.com", endpoint)
		}
		host, secure = e.Host, e.Scheme == "https"
	}
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", address, err)
	}
	client, err := minio.New(host, &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{},
		}),
		Secure: secure, Region: region, Transport: bounded{transport},
	})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", address, err)
	}
	return &Bucket{stat: client.StatObject, put: client.FPutObject, name: at.Host, prefix: strings.Trim(at.Path, "/")}, nil
}

// maxAnswer bounds what is read of an answer: of a store nothing large is asked for.
const maxAnswer = 1 << 20

// bounded cuts answers off, which would be held in memory.
type bounded struct{ http.RoundTripper }

// RoundTrip sends a request.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(answer.Body, maxAnswer), answer.Body}
	}
	return answer, err
}

// Version asks for the version that was kept with a file.
func (b *Bucket) Version(ctx context.Context, name string) (string, error) {
	info, err := b.stat(ctx, b.name, path.Join(b.prefix, name), minio.StatObjectOptions{})
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for key, value := range info.UserMetadata {
		if strings.EqualFold(key, versionName) {
			return value, nil
		}
	}
	return "", nil
}

// Put writes a file on this machine first, so that it is sent whole or not at all, and
// its length is known.
func (b *Bucket) Put(ctx context.Context, name, version string, write func(io.Writer) error) (err error) {
	folder, err := os.MkdirTemp("", "drover-sink-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	local := filepath.Join(folder, "positions.parquet")
	if err := writeFile(local, write); err != nil {
		return err
	}
	_, err = b.put(ctx, b.name, path.Join(b.prefix, name), local, minio.PutObjectOptions{
		ContentType: "application/vnd.apache.parquet", UserMetadata: map[string]string{versionName: version}, PartSize: partSize, NumThreads: 1,
	})
	return err
}
