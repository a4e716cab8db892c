package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
)

// changes are what each operator is changed to: the bound and the negation of a comparison, the opposite in arithmetic.
var changes = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.ADD: {token.SUB}, token.SUB: {token.ADD},
	token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.MUL},
}

// A mutant is one change, chosen by its place in the list, from one on.
type mutant struct{ place, change string }

// source is a file that is rewritten so that each change of it can be chosen when the program runs. No line moves.
type source struct {
	*pack
	text []byte
	file *token.File
}

// rewrite is the text of n with every change in it.
func (s *source) rewrite(n ast.Node) string {
	var out strings.Builder
	at := s.file.Offset(n.Pos())
	ast.Inspect(n, func(inner ast.Node) bool {
		if inner == nil {
			return false
		}
		changed, whole := s.change(inner)
		if whole {
			out.Write(s.text[at:s.file.Offset(inner.Pos())])
			out.WriteString(changed)
			at = s.file.Offset(inner.End())
		}
		return !whole
	})
	out.Write(s.text[at:s.file.Offset(n.End())])
	return out.String()
}

// change is the text of n if something is changed at n itself, or if nothing within it may be.
func (s *source) change(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.GenDecl:
		return s.between(n.Pos(), n.End()), n.Tok == token.CONST
	case *ast.ArrayType:
		return s.between(n.Pos(), n.End()), true
	case *ast.IncDecStmt:
		op := map[token.Token]token.Token{token.INC: token.ADD, token.DEC: token.SUB}[n.Tok]
		if id, ok := s.mutant(n.TokPos, op); ok {
			x := s.rewrite(n.X)
			return fmt.Sprintf("%s = mutant%d(%d, %s, 1)", x, op, id, x), true
		}
	case ast.Expr:
		if s.types[n].Value != nil {
			return s.constant(n)
		}
		switch n := n.(type) {
		case *ast.BinaryExpr:
			return s.binary(n)
		case *ast.UnaryExpr:
			if n.Op != token.SUB {
				return "", false
			}
			id, ok := s.mutant(n.OpPos, n.Op)
			if ok {
				return fmt.Sprintf("mutantNegative(%d, %s)", id, s.rewrite(n.X)), true
			}
		}
	}
	return "", false
}

func (s *source) binary(n *ast.BinaryExpr) (string, bool) {
	if !s.numeric(n) {
		return "", false
	}
	id, ok := s.mutant(n.OpPos, n.Op)
	if !ok {
		return "", false
	}
	x, y := s.rewrite(n.X), s.rewrite(n.Y)
	before, after := s.between(n.X.End(), n.OpPos), s.between(n.OpPos+token.Pos(len(n.Op.String())), n.Y.Pos())
	if n.Op == token.EQL || n.Op == token.NEQ { // of any type, nil too
		return fmt.Sprintf("mutantNot(%d, %s%s%s%s%s)", id, x, before, n.Op, after, y), true
	}
	return fmt.Sprintf("mutant%d(%d, %s%s,%s%s)", n.Op, id, x, before, after, y), true
}

// numeric is whether the operator can be changed: a text is added to another and cannot be taken from it.
func (s *source) numeric(n *ast.BinaryExpr) bool {
	basic, ok := s.types[n.X].Type.Underlying().(*types.Basic)
	return n.Op != token.ADD || ok && basic.Info()&types.IsNumeric != 0
}

// constant chooses among the values that a constant has with each of its operators changed: the compiler computes them.
func (s *source) constant(n ast.Expr) (string, bool) {
	var all []string
	first := 0
	ast.Inspect(n, func(inner ast.Node) bool {
		var at token.Pos
		var op token.Token
		switch inner := inner.(type) {
		case *ast.BinaryExpr:
			if s.numeric(inner) {
				at, op = inner.OpPos, inner.Op
			}
		case *ast.UnaryExpr:
			if inner.Op == token.SUB {
				at, op = inner.OpPos, inner.Op
			}
		}
		if id, ok := s.mutant(at, op); ok {
			if first == 0 {
				first = id
			}
			for _, to := range changes[op] {
				all = append(all, strings.ReplaceAll(s.between(n.Pos(), at)+" "+to.String()+" "+
					s.between(at+token.Pos(len(op.String())), n.End()), "\n", " "))
			}
		}
		return true
	})
	if first == 0 {
		return s.between(n.Pos(), n.End()), true
	}
	kind := types.TypeString(types.Default(s.types[n].Type), s.qualify)
	return fmt.Sprintf("mutantConstant[%s](%d, %s, %s)", kind, first, s.between(n.Pos(), n.End()), strings.Join(all, ", ")), true
}

// mutant numbers the changes of an operator and is the first number.
func (s *source) mutant(at token.Pos, op token.Token) (int, bool) {
	if len(changes[op]) == 0 {
		return 0, false
	}
	place := s.file.Position(at)
	line := fmt.Sprintf("%s:%d", filepath.Base(place.Filename), place.Line)
	if s.refused[line] {
		s.leftOut += len(changes[op])
		return 0, false
	}
	id := len(s.mutants) + 1
	for _, to := range changes[op] {
		s.mutants = append(s.mutants, mutant{fmt.Sprintf("%s:%d", line, place.Column), fmt.Sprintf("%s to %s", op, to)})
	}
	return id, true
}

func (s *source) between(from, to token.Pos) string {
	return string(s.text[s.file.Offset(from):s.file.Offset(to)])
}

// helpers is a file of the package with what a rewritten operator calls.
func helpers(name string) string {
	var out strings.Builder
	fmt.Fprintf(&out, helperText, name)
	for op, others := range changes {
		kind, answer := "mutantNumber", "T"
		switch {
		case op == token.EQL || op == token.NEQ: // mutantNot
			continue
		case op == token.REM:
			kind = "mutantInteger"
		case len(others) == 2: // a comparison
			kind, answer = "cmp.Ordered", "bool"
		}
		fmt.Fprintf(&out, "\nfunc mutant%d[T %s](id int, a, b T) %s {\n\tswitch mutant {\n", op, kind, answer)
		for i, other := range others {
			fmt.Fprintf(&out, "\tcase id + %d:\n\t\treturn a %s b\n", i, other)
		}
		fmt.Fprintf(&out, "\t}\n\treturn a %s b\n}\n", op)
	}
	return out.String()
}

const helperText = `package %s

import (
	"cmp"
	"os"
	"strconv"
)

var mutant, _ = strconv.Atoi(os.Getenv("MUTANT"))

type mutantInteger interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

type mutantNumber interface{ mutantInteger | ~float32 | ~float64 }

func mutantNot(id int, is bool) bool { return is != (mutant == id) }

func mutantNegative[T mutantNumber](id int, v T) T {
	if mutant == id {
		return v
	}
	return -v
}

func mutantConstant[T any](first int, is T, others ...T) T {
	if i := mutant - first; i >= 0 && i < len(others) {
		return others[i]
	}
	return is
}
`
