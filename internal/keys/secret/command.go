package secret

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// commandEnd is how long a command's children may keep its output open after it has ended.
const commandEnd = time.Second

// MasterOfCommand runs a program and reads master keys from what it prints, in the form that ParseMaster
// reads. No shell reads the line: its words are the program and its arguments. Neither its output nor what it
// complains is in an error, because either may hold the key.
func MasterOfCommand(ctx context.Context, line string) (*Master, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, errors.New("the command is empty")
	}
	printed := &bounded{}
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Stdout, c.WaitDelay = printed, commandEnd
	err := c.Run()
	switch exit, ended := errors.AsType[*exec.ExitError](err); {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s did not end in time: %w", words[0], ctx.Err())
	case errors.Is(err, exec.ErrWaitDelay): // what it printed may still be written
		return nil, fmt.Errorf("%s has ended, but a process that it started keeps its output open", words[0])
	case printed.tooLong:
		return nil, fmt.Errorf("%s prints more than %d bytes", words[0], maxFileBytes)
	case ended:
		return nil, fmt.Errorf("%s failed: %s", words[0], exit.ProcessState)
	case err != nil:
		return nil, fmt.Errorf("run %s: %w", words[0], err)
	case strings.TrimSpace(string(printed.text)) == "":
		return nil, fmt.Errorf("%s prints nothing", words[0])
	}
	m, err := ParseMaster(string(printed.text))
	if err != nil {
		return nil, fmt.Errorf("what %s prints: %w", words[0], err)
	}
	return m, nil
}

// bounded keeps what is written to it, up to what a key file may have.
type bounded struct {
	text    []byte
	tooLong bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(b.text)+len(p) > maxFileBytes {
		b.tooLong = true
		return 0, errors.New("too long")
	}
	b.text = append(b.text, p...)
	return len(p), nil
}
