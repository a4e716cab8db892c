package export

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// Files is where the files of exports lie. A file is known by the attempt that has
// written it, and is written once.
type Files interface {
	// Create begins a file. What is written is kept once Close has returned nil.
	Create(ctx context.Context, e work.Export) (io.WriteCloser, error)
	// Open reads the file of an export that is done.
	Open(ctx context.Context, e work.Export) (io.ReadSeekCloser, error)
	// Remove forgets what an attempt has written, if anything.
	Remove(ctx context.Context, e work.Export, file string) error
	// Sweep forgets all files but those in use.
	Sweep(ctx context.Context, used func(ctx context.Context) (map[string]bool, error)) error
}

// Open reads the file of an export that is done.
func (r *Runner) Open(ctx context.Context, e work.Export) (io.ReadSeekCloser, error) {
	return r.Files.Open(ctx, e)
}

// Remove forgets what an attempt has written, if anything.
func (r *Runner) Remove(ctx context.Context, e work.Export, file string) error {
	return r.Files.Remove(ctx, e, file)
}

// Folder keeps files in a folder, for a service of one process.
type Folder string

func (f Folder) path(file string) string { return filepath.Join(string(f), file) }

// Create begins a file.
func (f Folder) Create(_ context.Context, e work.Export) (io.WriteCloser, error) {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of exports: %w", err)
	}
	file, err := os.OpenFile(f.path(e.Claim), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("begin the file of an export: %w", err)
	}
	return &syncedFile{bufio.NewWriterSize(file, pieceSize), file}, nil
}

// syncedFile is on the disk once it is closed.
type syncedFile struct {
	*bufio.Writer
	file *os.File
}

func (f *syncedFile) Close() error {
	if err := errors.Join(f.Flush(), f.file.Sync(), f.file.Close()); err != nil {
		return fmt.Errorf("end the file of an export: %w", err)
	}
	return nil
}

// Open reads a file.
func (f Folder) Open(_ context.Context, e work.Export) (io.ReadSeekCloser, error) {
	file, err := os.Open(f.path(e.File))
	if err != nil {
		return nil, fmt.Errorf("open the file of an export: %w", err)
	}
	return file, nil
}

// Remove forgets a file.
func (f Folder) Remove(_ context.Context, _ work.Export, file string) error {
	if err := os.Remove(f.path(file)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the file of an export: %w", err)
	}
	return nil
}

// Sweep forgets files that no one names.
func (f Folder) Sweep(ctx context.Context, used func(ctx context.Context) (map[string]bool, error)) error {
	entries, err := os.ReadDir(string(f))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("look through exports: %w", err)
	}
	names, err := used(ctx)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !names[entry.Name()] {
			if err := f.Remove(ctx, work.Export{}, entry.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// pieceSize is what a file is written in.
const pieceSize = 1 << 20

// Table keeps files in the database, in pieces, so that every process that shares it
// can serve what any other has written.
type Table struct{ Store *store.Store }

// Create begins a file.
func (t Table) Create(ctx context.Context, e work.Export) (io.WriteCloser, error) {
	return &pieces{ctx: ctx, store: t.Store, export: e}, nil
}

// pieces gathers what is written into pieces of one size.
type pieces struct {
	ctx    context.Context //nolint:containedctx // a writer has no other way to know it
	store  *store.Store
	export work.Export
	held   []byte
	number int64
}

func (p *pieces) Write(b []byte) (int, error) {
	written := len(b)
	for len(b) > 0 {
		n := min(pieceSize-len(p.held), len(b))
		p.held, b = append(p.held, b[:n]...), b[n:]
		if len(p.held) == pieceSize {
			if err := p.send(); err != nil {
				return 0, err
			}
		}
	}
	return written, nil
}

func (p *pieces) send() error {
	err := p.store.Jobs.AddExportChunk(p.ctx, p.export, p.export.Claim, p.number, p.held)
	p.number++
	p.held = p.held[:0]
	return err
}

func (p *pieces) Close() error {
	if len(p.held) == 0 {
		return nil
	}
	return p.send()
}

// Open reads a file.
func (t Table) Open(ctx context.Context, e work.Export) (io.ReadSeekCloser, error) {
	return &pieceReader{ctx: ctx, store: t.Store, export: e, held: -1}, nil
}

// pieceReader reads a file piece by piece, and holds one.
type pieceReader struct {
	ctx    context.Context //nolint:containedctx // a reader has no other way to know it
	store  *store.Store
	export work.Export
	at     int64
	held   int64 // number of the piece
	piece  []byte
}

func (r *pieceReader) Read(b []byte) (int, error) {
	if r.at >= r.export.Bytes {
		return 0, io.EOF
	}
	if number := r.at / pieceSize; number != r.held {
		piece, err := r.store.Jobs.ExportChunk(r.ctx, r.export, r.export.File, number)
		if err != nil {
			return 0, err
		}
		r.piece, r.held = piece, number
	}
	offset := int(r.at % pieceSize)
	if offset >= len(r.piece) {
		return 0, io.ErrUnexpectedEOF
	}
	n := copy(b, r.piece[offset:])
	r.at += int64(n)
	return n, nil
}

func (r *pieceReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.export.Bytes
	}
	if offset < 0 {
		return 0, errors.New("seek before the beginning of an export")
	}
	r.at = offset
	return offset, nil
}

func (r *pieceReader) Close() error { return nil }

// Remove forgets a file.
func (t Table) Remove(ctx context.Context, e work.Export, file string) error {
	return t.Store.Jobs.DropExportFile(ctx, e, file)
}

// Sweep forgets pieces that no export names.
func (t Table) Sweep(ctx context.Context, _ func(ctx context.Context) (map[string]bool, error)) error {
	return t.Store.Jobs.DropStrayChunks(ctx)
}
