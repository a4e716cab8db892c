package paging

import (
	"encoding/json"
	"errors"
)

// Encode writes where a job stands as the text of a cursor. It is for structs of
// texts, numbers and times, which always marshal.
func Encode(place any) string {
	b, err := json.Marshal(place)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Decode reads a cursor that Encode has written.
func Decode(cursor string, place any) error {
	if err := json.Unmarshal([]byte(cursor), place); err != nil {
		return errors.New("the stored cursor is not readable")
	}
	return nil
}
