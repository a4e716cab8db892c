package main

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// command is what every command of the tree is.
type command interface{ Run(w world) error }

// errAnswered says that --help or --version was asked for and answered.
var errAnswered = errors.New("answered")

// parse reads a command line into c and returns the command that it selects.
//
// It takes the steps of kong's own Parse and Run without their hooks, which look for methods by names that are known
// only at run time: a program with such a look keeps every exported method of every type, which is 4.5 MiB.
func parse(parser *kong.Kong, c *cli, args []string) (*kong.Context, error) {
	k, err := kong.Trace(parser, args)
	if err != nil {
		return nil, err
	}
	if k.Error != nil {
		return nil, k.Error
	}
	for _, p := range k.Path {
		switch {
		case p.Flag == nil:
		case p.Flag == parser.Model.HelpFlag:
			if err := k.PrintUsage(false); err != nil {
				return nil, err
			}
			return nil, errAnswered
		case p.Flag.Target.CanAddr() && p.Flag.Target.Addr().Interface() == any(&c.ShowVersion):
			fmt.Fprintln(parser.Stdout, "drover", versionText())
			return nil, errAnswered
		}
	}
	if err := k.Reset(); err != nil {
		return nil, err
	}
	if err := addFile(k, c); err != nil {
		return nil, err
	}
	if err := k.Resolve(); err != nil {
		return nil, err
	}
	if _, err := k.Apply(); err != nil {
		return nil, err
	}
	return k, validate(k)
}

// addFile has the settings of a file count where neither the command line nor the environment sets them.
func addFile(k *kong.Context, c *cli) error {
	file := c.ConfigFile // that of the environment
	for _, p := range k.Path {
		if p.Flag != nil && p.Flag.Target.CanAddr() && p.Flag.Target.Addr().Interface() == any(&c.ConfigFile) {
			file = k.Value(p).String()
		}
	}
	if file == "" {
		return nil
	}
	resolver, err := k.LoadConfig(file)
	if err != nil {
		return err
	}
	k.AddResolver(resolver)
	return resolver.Validate(k.Model)
}

// validate checks what was read: values of a list, the commands' own rules, and that nothing is missing.
func validate(k *kong.Context) error {
	for _, p := range k.Path {
		node := p.Node()
		if node == nil {
			continue
		}
		for _, value := range node.Values() {
			if value.Enum == "" || value.Required && !value.Set {
				continue
			}
			if err := checkEnum(value, value.Target); err != nil {
				return err
			}
		}
	}
	for _, p := range k.Path {
		if node := p.Node(); node != nil && p.Flag == nil && p.Positional == nil {
			if err := checkStruct(node.Target); err != nil {
				return fmt.Errorf("%s: %w", node.Path(), err)
			}
		}
	}
	var missing []string
	for _, flag := range k.Flags() {
		if flag.Required && !flag.Set {
			missing = append(missing, flag.Summary())
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return fmt.Errorf("missing flags: %s", strings.Join(missing, ", "))
	}
	return checkComplete(k)
}

// checkEnum refuses a value that is not of its list.
func checkEnum(value *kong.Value, target reflect.Value) error {
	switch target.Kind() { //nolint:exhaustive // others are compared as they are printed
	case reflect.Slice:
		for i := range target.Len() {
			if err := checkEnum(value, target.Index(i)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Pointer:
		if target.IsNil() {
			return nil
		}
		target = target.Elem()
	}
	allowed := value.EnumSlice()
	if got := fmt.Sprint(target); !slices.Contains(allowed, got) {
		for i := range allowed {
			allowed[i] = strconv.Quote(allowed[i])
		}
		return fmt.Errorf("%s must be one of %s but got %q", value.ShortSummary(), strings.Join(allowed, ","), got)
	}
	return nil
}

// checkStruct has a command and what is embedded in it check themselves.
func checkStruct(v reflect.Value) error {
	if v.Kind() != reflect.Struct {
		return nil
	}
	if own, ok := v.Addr().Interface().(interface{ Check() error }); ok {
		if err := own.Check(); err != nil {
			return err
		}
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Anonymous && f.IsExported() {
			if err := checkStruct(v.Field(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkComplete refuses a command line that ends before its command or one of its arguments.
func checkComplete(k *kong.Context) error {
	node := k.Selected()
	if node == nil {
		node = k.Model.Node
	}
	var missing []string
	for _, arg := range node.Positional {
		if arg.Required && !arg.Set {
			missing = append(missing, arg.Summary())
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("expected %q", strings.Join(missing, " "))
	}
	for _, child := range node.Children {
		if !child.Hidden {
			missing = append(missing, strconv.Quote(child.Name))
		}
	}
	const shown = 5
	switch {
	case len(missing) > shown:
		missing = append(missing[:shown], "...")
	case len(missing) == 0:
		return nil
	case len(missing) == 1:
		return fmt.Errorf("expected %s", missing[0])
	}
	return fmt.Errorf("expected one of %s", strings.Join(missing, ", "))
}

// runSelected runs the command that was read.
func runSelected(w world, k *kong.Context) error {
	return k.Selected().Target.Addr().Interface().(command).Run(w)
}
