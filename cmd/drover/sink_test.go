package main

import (
	"strings"
	"testing"
)

func TestSink(t *testing.T) {
	t.Parallel()
	installations(t, func(t *testing.T, flags ...string) {
		t.Helper()
		succeed(t, "", with(flags, "tenant", "add", "acme")...)
		if out := succeed(t, "", with(flags, "export", "--sink", t.TempDir(), "--tenant",
			"acme")...); out != "0 files written with 0 positions and 0 other records, 0 up to date\n" {
			t.Errorf("it prints %q", out)
		}
		for _, wrong := range []struct{ want, args string }{
			{"there is no tenant other", "--sink DIR --tenant other"},
			{"do not give a kind", "position --sink DIR"},
			{"say what to export", ""},
			{"must be a folder or s3://", "--sink ftp://host"},
			{"a bucket is s3://NAME", "--sink s3://"},
		} {
			args := strings.Fields(strings.ReplaceAll(wrong.args, "DIR", t.TempDir()))
			refuse(t, wrong.want, "", with(flags, append([]string{"export"}, args...)...)...)
		}
	})
}
