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
	Sink       string        `help:"Keep Parquet files of packed days of positions up to date in a folder or a bucket, s3://NAME/PREFIX; reads the database, not the API." placeholder:"PLACE" group:"sink"`
	Tenant     []string      `help:"Only of this tenant; repeatable." placeholder:"NAME" group:"sink"`
	Repeat     time.Duration `help:"Look again after this time, until stopped; 0 ends after once." placeholder:"DURATION" group:"sink"`
	S3Endpoint string        `help:"Where a store that is not Amazon's answers." name:"s3-endpoint" env:"AWS_ENDPOINT_URL_S3" placeholder:"URL" group:"sink"`
	S3Region   string        `help:"Region of the bucket; asked for where it is not given." name:"s3-region" env:"AWS_REGION" placeholder:"REGION" group:"sink"`
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
		return nil, fmt.Errorf("--sink %s: a place is a folder or s3://NAME/PREFIX", c.Sink)
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
	}
	changing := ""
	if done.Changing > 0 {
		changing = fmt.Sprintf(", %d days changed meanwhile and are left for the next run", done.Changing)
	}
	fmt.Fprintf(w.out, "%d files written with %d positions, %d up to date%s\n", done.Files, done.Positions, done.Current, changing)
	return errors.Join(failures...)
}
