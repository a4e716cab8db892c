package main

import (
	"errors"
	"net"
	"os"
	"runtime/debug"

	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
)

type serveCommand struct {
	config.Serve
}

func (serveCommand) Help() string {
	return example("drover serve --listen 0.0.0.0:8080 --data /var/lib/drover",
		"drover serve --database postgres://drover@db/drover --role api")
}

func (c *serveCommand) Run(w world) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(app.GCPercent)
	}
	logger := newLogger(w, c.Log)
	o := app.Options{Logger: logger, Version: versionText()}
	front, err := app.Listen(w, c.Serve, o)
	if err != nil {
		return err
	}
	defer front.Close()
	o.Front = front
	a, err := app.New(w, c.Serve, o)
	if err != nil {
		return err
	}
	err = a.Run(w, func(address net.Addr) {
		logger.InfoContext(w, "ready", "address", address.String(), "role", c.Role, "database", a.Store.Database(), "version", versionText())
	})
	logger.InfoContext(w, "stopped")
	if errors.Is(err, app.ErrStuck) {
		return err // closing the database would wait for it
	}
	return errors.Join(err, a.Close())
}
