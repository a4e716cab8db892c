package declared

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/provider/kit/paging"
)

// template is the first row that was recorded of the calls, or an empty one.
func (s *Fake) template(calls []fakeCall) any {
	for _, c := range calls {
		rows, _ := follow(s.recorded[c.key], c.r.Records).([]any)
		for _, row := range rows {
			if c.r.chosen(scope{row: follow(row, c.r.Record), within: follow(follow(row, c.r.Record), c.r.Within)}) {
				return copied(row)
			}
		}
	}
	return map[string]any{}
}

// copied is a tree that can be changed.
func copied(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			out[name] = copied(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = copied(value)
		}
		return out
	default:
		return v
	}
}

// answer puts the page of rows that is asked for into the answer that was recorded.
func (s *Fake) answer(calls []fakeCall, rows []any, params map[string]string, now time.Time) any {
	r, answer := calls[0].r, any(map[string]any{})
	for _, c := range calls {
		if recorded, ok := s.recorded[c.key]; ok {
			r, answer = c.r, copied(recorded)
		}
	}
	total, first, next := len(rows), 0, ""
	if p := r.Pages; p != nil {
		size := p.Size
		if size <= 0 {
			size = fakePage
		}
		switch {
		case p.Number != "":
			first = (max(paging.Number(params[p.Number]), 1) - 1) * size
		default:
			first, _ = strconv.Atoi(params[p.Skip+p.Cursor])
		}
		first = min(first, total)
		last := min(first+size, total)
		if rows = rows[first:last]; last < total {
			next = strconv.Itoa(last)
		}
		for path, value := range map[string]any{p.Total: total, p.Next: next, p.More: next != ""} {
			if path != "" {
				set(&answer, path, value)
			}
		}
	}
	if f := s.file.Positions.Feed; f != nil && calls[0].key == "positions.feed" {
		set(&answer, f.Next, strconv.FormatInt(now.UnixNano(), 10))
		if f.More != "" {
			set(&answer, f.More, false)
		}
	}
	set(&answer, r.Records, rows)
	return answer
}

// choose writes what makes a row one of those that are read.
func (s *Fake) choose(row *any, r *Request) {
	for path, values := range r.Where {
		set(row, whole(r, path), values[0])
	}
}

// whole is the path of a value from the row on.
func whole(r *Request, path string) string {
	within := r.Within
	if rest, ok := strings.CutPrefix(path, "/"); ok {
		path, within = rest, ""
	}
	return strings.Join([]string{r.Record, within, path}, ".")
}

// write writes a value to where the file reads it, in its unit and in the form that was
// recorded. Of several places it takes the first.
func (s *Fake) write(row *any, r *Request, v *Value, value any) {
	if v == nil {
		return
	}
	if len(v.first) > 0 {
		s.write(row, r, v.first[0], value)
		return
	}
	path := v.Path
	if inside := names(v.Text); path == "" && len(inside) == 1 && v.Text == "{"+inside[0]+"}" {
		path = inside[0]
	}
	n, number := value.(float64)
	if number && v.Words == nil {
		n = v.backwards(n)
		if v.Minus != "" && v.Path != "$elapsed" {
			const before = 1000
			set(row, whole(r, v.Minus), float64(before))
			n += before
		}
		value = n
	}
	if path == "" {
		s.writeParts(row, r, v, value)
	} else if !strings.HasPrefix(path, "$") {
		at := whole(r, path)
		set(row, at, s.formed(follow(*row, at), v, value))
	}
}

// writeParts writes a value to the several places that a text is put together from. A value
// that does not have the form of the text is left out.
func (s *Fake) writeParts(row *any, r *Request, v *Value, value any) {
	var parts map[string]string
	if value != nil {
		text := fmt.Sprint(s.formed("", v, value))
		found, ok := newPattern(v.Text).match(text)
		if _, instant := value.(time.Time); !ok && instant { // a blank between day and time of day
			found, ok = newPattern(v.Text).match(strings.Replace(text, "T", " ", 1))
		}
		if parts = found; !ok {
			return
		}
	}
	for _, name := range names(v.Text) {
		if strings.HasPrefix(name, "$") {
			continue
		}
		var part any
		if value != nil {
			part = parts[name]
		}
		at := whole(r, name)
		set(row, at, s.formed(follow(*row, at), &Value{}, part))
	}
}

// backwards is the number that the vendor sends for one of the interface's.
func (v *Value) backwards(n float64) float64 {
	if to, ok := units[v.Unit]; ok {
		const many = 1e6 // which makes little of how the unit is rounded
		n /= to(many) / many
	}
	if v.Factor != 0 {
		n /= v.Factor
	}
	return n
}

// formed gives a value the form of what was recorded: a number or a text, a word for true, a
// time of that kind.
func (s *Fake) formed(recorded any, v *Value, value any) any {
	if on, truth := value.(bool); truth || v.Words != nil && value != nil {
		if n, ok := value.(float64); ok {
			on = n != 0
		}
		for word, means := range v.Words {
			if means == on {
				return word
			}
		}
		if v.Words != nil {
			return "other"
		}
		value = on
	}
	_, asText := recorded.(string)
	asNumber, isNumber := recorded.(json.Number)
	switch value := value.(type) {
	case time.Time:
		switch {
		case s.clock.layout != "":
			return value.In(s.clock.zone).Format(s.clock.layout)
		case isNumber && len(strings.Split(asNumber.String(), ".")[0]) > 11:
			return value.UnixMilli()
		case isNumber:
			return float64(value.UnixMilli()) / 1000
		case asText && s.file.Zone != "" && !strings.ContainsAny(recorded.(string), "Z+"):
			return value.In(s.clock.zone).Format("2006-01-02T15:04:05.000")
		default:
			return value.UTC().Format("2006-01-02T15:04:05.000Z")
		}
	case float64:
		if asText {
			return strconv.FormatFloat(value, 'f', -1, 64)
		}
		return value
	case string:
		if isNumber {
			return json.Number(value)
		}
		return value
	default:
		return value
	}
}

// set writes a value at a path and makes what lies on the way.
func set(at *any, path string, value any) { setAlong(at, slices.Collect(steps(path)), value) }

func setAlong(at *any, way []string, value any) {
	if len(way) == 0 {
		*at = value
		return
	}
	index, err := strconv.Atoi(way[0])
	if err != nil {
		object, ok := (*at).(map[string]any)
		if !ok {
			object = map[string]any{}
			*at = object
		}
		next := object[way[0]]
		setAlong(&next, way[1:], value)
		object[way[0]] = next
		return
	}
	list, _ := (*at).([]any)
	for len(list) <= index || index < 0 && len(list) < 2 {
		list = append(list, nil)
	}
	if index < 0 {
		index += len(list)
	}
	setAlong(&list[index], way[1:], value)
	*at = list
}
