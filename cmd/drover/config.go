package main

import "github.com/drover-fleet/drover/internal/config"

type configCommand struct {
	config.Serve
}

func (configCommand) Help() string { return example("drover config --config /etc/drover.conf") }

func (c *configCommand) Run(w world) error { return config.Print(w.out, &c.Serve) }
