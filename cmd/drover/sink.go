package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/upkeep/sink"
)

// sinkOptions are those of drover export --sink, which reads the database itself.
type sinkOptions struct {
	config.Store
	config.Log
	Sink       string        `help:"Keep Parquet files of packed days of positions and readings, and of drivers, faults and safety events, up to date in a folder or a bucket, s3://NAME/PREFIX; reads the database, not the API." placeholder:"PLACE" group:"sink"`
	Tenant     []string      `help:"With --sink, only of the tenant of this name; repeatable. Without, the id of the tenant that a key of the operator acts in." env:"DROVER_TENANT" placeholder:"TENANT" group:"sink"`
	Repeat     time.Duration `help:"Repeat after this time, until stopped; 0 runs once." placeholder:"DURATION" group:"sink"`
	S3Endpoint string        `help:"Endpoint of an S3-compatible store other than Amazon's." name:"s3-endpoint" env:"AWS_ENDPOINT_URL_S3" placeholder:"URL" group:"sink"`
	S3Region   string        `help:"Region of the bucket; by default it is looked up." name:"s3-region" env:"AWS_REGION" placeholder:"REGION" group:"sink"`
}

func (c *sinkOptions) run(w world) error {
	to, err := c.target()
	if err != nil {
		return err
	}
	return withExisting(w, c.Store, c.Log, func(s *store.Store) error {
		for {
			if err := c.once(w, s, to); err != nil {
				return err
			}
			if c.Repeat <= 0 {
				return nil
			}
			select {
			case <-w.Done():
				return nil
			case <-time.After(c.Repeat):
			}
		}
	})
}

func (c *sinkOptions) target() (sink.Target, error) {
	if strings.HasPrefix(c.Sink, "s3:") {
		return sink.OpenBucket(c.Sink, c.S3Endpoint, c.S3Region)
	}
	if strings.Contains(c.Sink, "://") {
		return nil, fmt.Errorf("--sink %s: must be a folder or s3://NAME/PREFIX", c.Sink)
	}
	return sink.Folder(c.Sink), nil
}

// once goes through the tenants. The failure of one does not keep the others waiting.
func (c *sinkOptions) once(w world, s *store.Store, to sink.Target) error {
	tenants, err := s.Accounts.Tenants(w)
	if err != nil {
		return err
	}
	for _, name := range c.Tenant {
		if !slices.ContainsFunc(tenants, func(t drover.Tenant) bool { return t.Name == name }) {
			return fmt.Errorf("there is no tenant %s", name)
		}
	}
	var done sink.Done
	var failures []error
	for _, t := range tenants {
		if len(c.Tenant) > 0 && !slices.Contains(c.Tenant, t.Name) {
			continue
		}
		if err := sink.Run(w, s.History, to, t.ID, time.Now(), &done); err != nil {
			failures = append(failures, fmt.Errorf("tenant %s: %w", t.Name, err))
		}
		if err := sink.Records(w, s, to, t.ID, time.Now(), &done); err != nil {
			failures = append(failures, fmt.Errorf("tenant %s: %w", t.Name, err))
		}
	}
	changing := ""
	if done.Changing > 0 {
		changing = fmt.Sprintf(", %d days changed meanwhile and are left for the next run", done.Changing)
	}
	fmt.Fprintf(w.out, "%d files written with %d positions and %d other records, %d up to date%s\n", done.Files, done.Positions, done.Records, done.Current, changing)
	return errors.Join(failures...)
}
