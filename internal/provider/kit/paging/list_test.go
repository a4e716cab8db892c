package paging_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
)

// drain reads a list to its end, and returns the cursors that it was read with too.
func drain(t *testing.T, list paging.List[string]) (records, cursors []string) {
	t.Helper()
	for cursor := ""; ; {
		page, err := list(t.Context(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		records, cursors = append(records, page.Records...), append(cursors, cursor)
		if cursor = page.Cursor; !page.More {
			return records, cursors
		}
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		list             paging.List[string]
		records, cursors []string
	}{
		"whole": {
			list:    paging.Whole(func(context.Context) ([]string, error) { return []string{"a", "b"}, nil }),
			records: []string{"a", "b"}, cursors: []string{""},
		},
		"linked": {
			list: paging.Linked(func(_ context.Context, cursor string) ([]string, string, error) {
				return []string{"after " + cursor}, map[string]string{"": "x", "x": "y"}[cursor], nil
			}),
			records: []string{"after ", "after x", "after y"}, cursors: []string{"", "x", "y"},
		},
		"numbered": {
			list: paging.Numbered(func(_ context.Context, number int) ([]string, bool, error) {
				return []string{paging.Cursor(number)}, number < 3, nil
			}),
			records: []string{"1", "2", "3"}, cursors: []string{"", "2", "3"},
		},
	} {
		records, cursors := drain(t, test.list)
		if diff := cmp.Diff(test.records, records); diff != "" {
			t.Errorf("%s: records (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(test.cursors, cursors); diff != "" {
			t.Errorf("%s: cursors (-want +got):\n%s", name, diff)
		}
	}
}

func TestListsThatFail(t *testing.T) {
	t.Parallel()
	rows := []string{"half of a page"}
	for name, list := range map[string]paging.List[string]{
		"whole":    paging.Whole(func(context.Context) ([]string, error) { return rows, errOut }),
		"linked":   paging.Linked(func(context.Context, string) ([]string, string, error) { return rows, "x", errOut }),
		"numbered": paging.Numbered(func(context.Context, int) ([]string, bool, error) { return rows, true, errOut }),
	} {
		page, err := list(t.Context(), "")
		if diff := cmp.Diff(provider.Page[string]{}, page); !errors.Is(err, errOut) || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
		if page, err = list.Rounds(t.Context(), provider.Query{}); !errors.Is(err, errOut) || page.Cursor != "" {
			t.Errorf("%s: rounds: %v, cursor %q", name, err, page.Cursor)
		}
	}
}

func TestRounds(t *testing.T) {
	t.Parallel()
	list := paging.Numbered(func(_ context.Context, number int) ([]int, bool, error) { return []int{number}, number < 2, nil })
	var got []provider.Page[int]
	for cursor, polls := "", 0; polls < 3; polls++ {
		page, err := list.Rounds(t.Context(), provider.Query{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		got, cursor = append(got, page), page.Cursor
	}
	want := []provider.Page[int]{
		{Records: []int{1}, Cursor: "2", More: true}, {Records: []int{2}, Cursor: "1"}, {Records: []int{1}, Cursor: "2", More: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}

func TestByCursorKeepsThePagesBeforeAFailure(t *testing.T) {
	t.Parallel()
	got, err := paging.ByCursor(func(cursor string) ([]string, string, error) {
		if cursor == "b" {
			return nil, "", errOut
		}
		return []string{"first"}, "b", nil
	})
	if diff := cmp.Diff([]string{"first"}, got); !errors.Is(err, errOut) || diff != "" {
		t.Error(err, diff)
	}
}

func TestCursorOfAStruct(t *testing.T) {
	t.Parallel()
	type place struct {
		At int64 `json:"a"`
	}
	var got place
	if err := paging.Decode(paging.Encode(place{At: 7}), &got); err != nil || got.At != 7 {
		t.Errorf("%+v, %v", got, err)
	}
	if err := paging.Decode("{", &got); err == nil || provider.KindOf(err) != provider.KindTemporary {
		t.Errorf("a broken cursor: %v", err)
	}
}
