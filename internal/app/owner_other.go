//go:build !unix

package app

import "github.com/drover-fleet/drover/internal/config"

// GiveBack has nothing to do where files have no owner of this kind.
func GiveBack(config.Store) error { return nil }

func refuseRoot(config.Store) error { return nil }
