package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// changing finds the table that a statement changes.
var changing = regexp.MustCompile(`^\s*(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM)\s+(%?\w+)`)

// TestWritesDeclareTheirTable reads the source of all that writes: a statement that
// changes a table is run by Write of that table, and nothing else is. One that is
// missed would leave records in the cache that have changed, and its transaction
// would not be undone when it fails.
func TestWritesDeclareTheirTable(t *testing.T) {
	t.Parallel()
	files, writes := token.NewFileSet(), 0
	for _, name := range slices.Concat(sources(t, "."), sources(t, "account"), sources(t, "work"), sources(t, "history")) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		writes += checkWrites(t, files, file)
	}
	if writes < 50 {
		t.Errorf("only %d writes were found", writes)
	}
}

// sources are the files of a package.
func sources(t *testing.T, folder string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no files in %s: %v", folder, err)
	}
	return names
}

// checkWrites looks at the statements of a file and counts those that write.
func checkWrites(t *testing.T, files *token.FileSet, file *ast.File) (writes int) {
	t.Helper()
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 2 {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !strings.HasSuffix(method.Sel.Name, "Context") {
			return true
		}
		changed, declared := changing.FindStringSubmatch(opening(call.Args[1])), declaredTable(method.X)
		switch {
		case changed == nil && method.Sel.Name != "ExecContext":
		case declared == "":
			t.Errorf("%s: a statement that changes a table does not declare it", files.Position(call.Pos()))
		case changed != nil && declared != changed[1] && declared != "?":
			t.Errorf("%s: %s is changed, and %s declared", files.Position(call.Pos()), changed[1], declared)
		default:
			writes++
		}
		return true
	})
	return writes
}

// declaredTable is the table in x.write(table) or x.Write(table): ? where it is not
// a constant, and empty where there is no such call.
func declaredTable(x ast.Expr) string {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return ""
	}
	if name, ok := call.Fun.(*ast.SelectorExpr); !ok || !strings.EqualFold(name.Sel.Name, "write") {
		return ""
	}
	if text := opening(call.Args[0]); text != "" {
		return text
	}
	return "?"
}

// opening is the constant that an expression begins with.
func opening(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(x.Value)
		return text
	case *ast.BinaryExpr:
		return opening(x.X)
	case *ast.CallExpr: // fmt.Sprintf(`…`)
		if len(x.Args) > 0 {
			return opening(x.Args[0])
		}
	case *ast.Ident: // a constant of the same file
		if x.Obj != nil {
			if spec, ok := x.Obj.Decl.(*ast.ValueSpec); ok && len(spec.Values) > 0 {
				return opening(spec.Values[0])
			}
		}
	}
	return ""
}
