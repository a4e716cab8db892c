package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a private PostgreSQL in a temporary folder, reached by a socket
// there. It is made for tests: it does not sync its disk.
type Server struct {
	dir     string
	process *exec.Cmd
	ended   chan error // gets what the process ended with
	again   func(ctx context.Context) error
}

// StartServer makes a cluster from the server binaries of the machine and starts
// it. The options are appended to the server's command line.
func StartServer(ctx context.Context, options ...string) (*Server, error) {
	bin, err := serverBinaries()
	if err != nil {
		return nil, err
	}
	return startFrom(ctx, bin, options)
}

func startFrom(ctx context.Context, bin string, options []string) (*Server, error) {
	dir, err := os.MkdirTemp("", "drover-pg-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for PostgreSQL: %w", err)
	}
	s := &Server{dir: dir}
	if err := s.start(ctx, bin, options); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// serverBinaries finds the newest PostgreSQL server on the machine. Debian keeps
// them off the path.
func serverBinaries() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	slices.SortFunc(found, func(a, b string) int { return version(b) - version(a) })
	if len(found) > 0 {
		return filepath.Dir(found[0]), nil
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		return filepath.Dir(path), nil
	}
	return "", errors.New("no PostgreSQL server is installed; on Debian: apt-get install postgresql")
}

func version(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path)))) // other names sort last
	return n
}

func (s *Server) start(ctx context.Context, bin string, options []string) error {
	attr, err := s.unprivileged()
	if err != nil {
		return err
	}
	if err := s.run(ctx, attr, filepath.Join(bin, "initdb"), "-D", s.data(), "-U", "drover", "-A", "trust", "-E", "UTF8", "--locale=C",
		"--no-sync"); err != nil {
		return err
	}
	return s.serve(ctx, attr, bin, options)
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) run(ctx context.Context, attr *syscall.SysProcAttr, program string, args ...string) error {
	c := exec.CommandContext(ctx, program, args...)
	c.SysProcAttr, c.Dir = attr, s.dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(program), err, out)
	}
	return nil
}

// serve starts the server of a cluster that is there.
func (s *Server) serve(ctx context.Context, attr *syscall.SysProcAttr, bin string, options []string) error {
	s.again = func(ctx context.Context) error { return s.serve(ctx, attr, bin, options) }
	args := slices.Concat([]string{
		"-D", s.data(), "-k", s.dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "full_page_writes=off",
		"-c", "max_connections=300", "-c", "shared_buffers=128MB",
	}, options)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], ownFolder, s.dir)
	}
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return fmt.Errorf("make a log for PostgreSQL: %w", err)
	}
	defer log.Close()
	s.process = exec.Command(filepath.Join(bin, "postgres"), args...) //nolint:noctx // it outlives the start; Stop ends it
	s.process.SysProcAttr, s.process.Dir, s.process.Stdout, s.process.Stderr = attr, s.dir, log, log
	if err := s.process.Start(); err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	s.ended = make(chan error, 1)
	go func() { s.ended <- s.process.Wait() }()
	return s.ready(ctx)
}

// Follow starts a server that follows this one: a streaming copy of all its databases
// that can be read.
func (s *Server) Follow(ctx context.Context) (*Server, error) {
	bin, err := serverBinaries()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "drover-pg-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for PostgreSQL: %w", err)
	}
	f := &Server{dir: dir}
	attr, err := f.unprivileged()
	if err == nil {
		err = f.run(ctx, attr, filepath.Join(bin, "pg_basebackup"), "-D", f.data(), "-h", s.dir, "-U", "drover", "-R", "-X", "stream", "-c",
			"fast", "--no-sync")
	}
	if err == nil {
		err = f.serve(ctx, attr, bin, nil)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return f, nil
}

// unprivileged makes the server run as no one where the tests run as root,
// because PostgreSQL refuses root.
func (s *Server) unprivileged() (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return &syscall.SysProcAttr{}, nil
	}
	unprivileged, err := user.Lookup("nobody")
	if err != nil {
		return nil, fmt.Errorf("find a user for PostgreSQL: %w", err)
	}
	uid, err := strconv.Atoi(unprivileged.Uid)
	if err != nil {
		return nil, fmt.Errorf("find a user for PostgreSQL: %w", err)
	}
	if err := os.Chown(s.dir, uid, -1); err != nil {
		return nil, fmt.Errorf("hand the folder to PostgreSQL: %w", err)
	}
	if err := os.Chmod(s.dir, 0o755); err != nil { // the socket is reached through it
		return nil, fmt.Errorf("open the folder: %w", err)
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}, nil // a uid fits
}

// ready waits until the server takes connections, or has ended.
func (s *Server) ready(ctx context.Context) error {
	for {
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case err := <-s.ended:
			s.ended <- err
			text, _ := os.ReadFile(filepath.Join(s.dir, "log")) // the error says enough
			return fmt.Errorf("PostgreSQL ended at once: %w: %s", err, text)
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL is not ready: %w", err)
		case <-time.After(10 * time.Millisecond): // and leave it the processor
		}
	}
}

// URL is the address of a database of the server.
func (s *Server) URL(database string) string {
	return "postgres://drover@/" + database + "?host=" + s.dir
}

// Dir is the folder with the server's socket.
func (s *Server) Dir() string { return s.dir }

// Create makes a database, as a copy of template where that is not empty.
func (s *Server) Create(ctx context.Context, name, template string) error {
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing was left undone
	query := "CREATE DATABASE " + name
	if template != "" {
		query += " TEMPLATE " + template
	}
	if _, err := conn.Exec(ctx, query); err != nil && !strings.Contains(err.Error(), "already exists") {
		return fmt.Errorf("create database: %w", err)
	}
	return nil
}

// Drop removes a database and ends what is connected to it.
func (s *Server) Drop(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing was left undone
	_, err = conn.Exec(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	return err
}

// Signal sends a signal to the server and to all that it has started: one that is
// stopped answers no one, and keeps its connections.
func (s *Server) Signal(signal syscall.Signal) error {
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", s.process.Process.Pid, s.process.Process.Pid))
	if err != nil {
		return fmt.Errorf("find the processes of PostgreSQL: %w", err)
	}
	failed := []error{syscall.Kill(s.process.Process.Pid, signal)}
	for text := range strings.FieldsSeq(string(children)) {
		pid, err := strconv.Atoi(text)
		if err == nil {
			err = syscall.Kill(pid, signal)
		}
		if !errors.Is(err, syscall.ESRCH) { // it has ended meanwhile
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// ProcessorTime is what the server and all that it has started have used so far.
func (s *Server) ProcessorTime() (time.Duration, error) {
	own := s.process.Process.Pid
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", own, own))
	if err != nil {
		return 0, fmt.Errorf("find the processes of PostgreSQL: %w", err)
	}
	total, err := ProcessorTime(strconv.Itoa(own), 4) // with those that have ended
	for pid := range strings.FieldsSeq(string(children)) {
		used, failed := ProcessorTime(pid, 2)
		if !errors.Is(failed, os.ErrNotExist) && !errors.Is(failed, syscall.ESRCH) { // it has ended meanwhile
			err = errors.Join(err, failed)
		}
		total += used
	}
	return total, err
}

// ProcessorTime adds up the first of a process's times: its own, in the program and in the
// system, and those of its children.
func ProcessorTime(pid string, times int) (time.Duration, error) {
	const tick = time.Second / 100 // what Linux counts in, whatever the machine
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the name may hold spaces
	fields := strings.Fields(rest)
	if len(fields) < 15 {
		return 0, fmt.Errorf("the times of process %s cannot be read", pid)
	}
	var total time.Duration
	for _, field := range fields[11 : 11+times] {
		n, err := strconv.Atoi(field)
		if err != nil {
			return 0, fmt.Errorf("the times of process %s: %w", pid, err)
		}
		total += time.Duration(n) * tick
	}
	return total, nil
}

// Halt ends the server, as a crash would, and Restart starts it on what it has left.
func (s *Server) Halt() error {
	if s.ended == nil {
		return nil
	}
	err := s.process.Process.Signal(syscall.SIGQUIT)
	<-s.ended
	s.ended = nil
	return err
}

// Restart starts a server that was halted.
func (s *Server) Restart(ctx context.Context) error { return s.again(ctx) }

// Stop ends the server and removes its folder.
func (s *Server) Stop() error { return errors.Join(s.Halt(), s.keepLog(), os.RemoveAll(s.dir)) }
