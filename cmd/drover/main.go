// Command drover serves one JSON HTTP API over the fleet data that sits with a
// company's telematics providers, and administers the service.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/drover-fleet/drover/client"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
)

// version is set by the linker of a release.
var version = ""

// cli is the whole command line.
type cli struct {
	ConfigFile  string `name:"config" help:"File with settings, one name = value per line." placeholder:"FILE" env:"DROVER_CONFIG"`
	ShowVersion bool   `name:"version" help:"Print the version."`

	Serve      serveCommand      `cmd:"" help:"Run the service."`
	Demo       demoCommand       `cmd:"" help:"Run the service with a simulated fleet."`
	Migrate    migrateCommand    `cmd:"" help:"Apply pending migrations."`
	Backup     backupCommand     `cmd:"" help:"Copy the database into one file while the service runs."`
	Restore    restoreCommand    `cmd:"" help:"Restore a backup into an empty place."`
	Verify     verifyCommand     `cmd:"" help:"Check the whole database: pages, sealed values, sums, feeds, records, packed blocks."`
	Tenant     tenantCommand     `cmd:"" help:"Add, list, suspend and resume tenants, set how long their positions are kept."`
	Driver     driverCommand     `cmd:"" help:"Erase drivers."`
	Operator   operatorCommand   `cmd:"" help:"Make, list and revoke the keys of operators."`
	User       userCommand       `cmd:"" help:"Add, list, disable and enable users, set passwords, end sessions."`
	Key        keyCommand        `cmd:"" help:"List and rotate the keys that sign tokens and seal credentials."`
	Connection connectionCommand `cmd:"" help:"List, check, sync, recompute and authorize connections."`
	Provider   providerCommand   `cmd:"" help:"Show the providers and their features."`
	Sandbox    sandboxCommand    `cmd:"" help:"Serve a fake of a provider with a moving fleet."`
	Webhook    webhookCommand    `cmd:"" help:"Try out the receiving side of webhooks."`
	ETA        etaReportCommand  `cmd:"" name:"eta-report" help:"Show how far predicted arrivals were from the real ones."`
	Config     configCommand     `cmd:"" name:"config" help:"Print the settings in force, with secrets masked."`
	Storage    storageCommand    `cmd:"" help:"Show the size of each tenant's history, and when the disk will be full."`
	Pack       packCommand       `cmd:"" help:"Pack settled positions now, as the service does in the background."`
	Rights     rightsCommand     `cmd:"" help:"Print the rights: who may call which operation, and what a share shows."`
	Doctor     doctorCommand     `cmd:"" help:"Check data folder, database, keys, clock and disk."`
	Health     healthCommand     `cmd:"" help:"Check the service on this machine, for health checks of containers."`
	Support    supportCommand    `cmd:"" name:"support-bundle" help:"Write a file for support, without secrets and personal data."`
	Login      loginCommand      `cmd:"" help:"Log in at a service, for the commands api, export, import and listen."`
	API        apiCommand        `cmd:"" name:"api" help:"Call any operation of a service."`
	Export     exportCommand     `cmd:"" help:"Create an export at a service and download it."`
	Import     importCommand     `cmd:"" help:"Send the positions of a file to a connection to push."`
	Listen     listenCommand     `cmd:"" help:"Forward a tenant's events, signed, to an address on this machine."`
	MCP        mcpCommand        `cmd:"" name:"mcp" help:"Serve the Model Context Protocol over standard input and output."`
	Version    versionCommand    `cmd:"" help:"Print the version."`
}

// world is what a command works with, so that tests can give it another.
type world struct {
	context.Context
	in       io.Reader
	out, err io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(world{ctx, os.Stdin, os.Stdout, os.Stderr}, os.Args[1:]))
}

// run carries out one command line and returns the exit code. An error is one
// line on standard error.
func run(w world, args []string) int {
	var c cli
	parser, err := kong.New(&c,
		kong.Name("drover"),
		kong.Description("One JSON HTTP API over the fleet data of your telematics providers."),
		kong.Configuration(config.File),
		kong.Writers(w.out, w.err),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
	)
	if err != nil {
		return fail(w, err)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	k, err := parse(parser, &c, args)
	if errors.Is(err, errAnswered) {
		return 0
	}
	if err == nil {
		err = config.CheckEnvironment(parser.Model, os.Environ())
	}
	if err != nil {
		return fail(w, usageError{inPlainWords(err)})
	}
	if err := errors.Join(runSelected(w, k), giveBack(k)); err != nil {
		return fail(w, err)
	}
	return 0
}

// giveBack gives what a command of root has made in a data folder to the folder's owner.
func giveBack(k *kong.Context) error {
	command := k.Selected()
	if command == nil {
		return nil
	}
	field := reflect.Indirect(command.Target).FieldByName("Store")
	if !field.IsValid() || field.Type() != reflect.TypeFor[config.Store]() {
		return nil
	}
	return app.GiveBack(field.Interface().(config.Store))
}

// The exit codes besides 0.
const (
	exitFailed = 1
	exitUsage  = 2
)

// usageError says that the command line is wrong, not what it asks for.
type usageError struct{ error }

// misused makes a usageError.
func misused(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// inPlainWords replaces what the parsers of the standard library say by what to write
// instead.
func inPlainWords(err error) error {
	text := err.Error()
	flag, _, _ := strings.Cut(text, ":")
	switch {
	case strings.Contains(text, "netip.ParsePrefix"):
		return fmt.Errorf("%s: a network needs a mask, such as 10.0.0.0/8", flag)
	case strings.Contains(text, "duration"):
		return fmt.Errorf("%s: a duration needs a unit, such as 30s, 5m or 2h", flag)
	}
	return err
}

// fail tells an error and returns the exit code. Some, such as those of several failed connections, come
// in several lines; they are printed in one.
func fail(w world, err error) int {
	var parts []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(parts, line) {
			parts = append(parts, line)
		}
	}
	lacks := ""
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.RequiredScope != "" {
		lacks = " (the scope " + refused.RequiredScope + " is missing)"
	}
	fmt.Fprintln(w.err, "drover:", strings.ReplaceAll(strings.Join(parts, "; "), ":; ", ": ")+lacks)
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	return exitFailed
}

// newLogger logs to standard error as the settings say.
func newLogger(w world, c config.Log) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w.err, options))
	}
	return slog.New(slog.NewTextHandler(w.err, options))
}

// versionText is the version of a release, or that of the module.
func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

type versionCommand struct{}

func (versionCommand) Help() string { return example("drover version") }

func (versionCommand) Run(w world) error {
	_, err := fmt.Fprintln(w.out, "drover", versionText())
	return err
}

// example is the part of a command's help that shows how it is used.
func example(lines ...string) string {
	return "Example:\n\n  " + strings.Join(lines, "\n\n  ")
}
