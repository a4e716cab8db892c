package auth

import "container/list"

// recent is a map of bounded size: to make room it forgets the entry that was
// touched longest ago.
type recent[V any] struct {
	limit int
	order list.List // of *item[V], the latest touched first
	items map[uint64]*list.Element
}

type item[V any] struct {
	key   uint64
	value V
}

func newRecent[V any](limit int) *recent[V] {
	return &recent[V]{limit: limit, items: make(map[uint64]*list.Element)}
}

// get returns the entry, nil where there is none, and does not touch it.
func (r *recent[V]) get(key uint64) *V {
	if e, ok := r.items[key]; ok {
		return &e.Value.(*item[V]).value
	}
	return nil
}

// touch returns the entry, made where there was none, as the latest touched.
func (r *recent[V]) touch(key uint64) *V {
	e, ok := r.items[key]
	if ok {
		r.order.MoveToFront(e)
		return &e.Value.(*item[V]).value
	}
	if len(r.items) >= r.limit {
		oldest := r.order.Back()
		delete(r.items, r.order.Remove(oldest).(*item[V]).key)
	}
	it := &item[V]{key: key}
	r.items[key] = r.order.PushFront(it)
	return &it.value
}

func (r *recent[V]) drop(key uint64) {
	if e, ok := r.items[key]; ok {
		r.order.Remove(e)
		delete(r.items, key)
	}
}
