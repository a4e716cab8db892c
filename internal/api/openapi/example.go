package openapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
)

// ExampleID is the id that examples show.
const ExampleID = "01932f6e-7c1b-7a52-9d4e-3f1f6a6b8c01"

// The bodies of errors, for the document: package middle writes them.
type (
	plainError struct {
		Error plainDetail `json:"error"`
	}
	plainDetail struct {
		Code    int    `json:"code" doc:"The HTTP status."`
		Message string `json:"message"`
	}
	validationError struct {
		Error validationDetail `json:"error"`
	}
	validationDetail struct {
		Code    int    `json:"code" doc:"The HTTP status, 422."`
		Message string `json:"message"`
		Loc     []any  `json:"loc" doc:"Where the fault is: body, query, path or header, then keys and indexes."`
		Msg     string `json:"msg"`
		Type    string `json:"type"`
	}
)

// errorExample shows an error of the operation as it is sent.
func (r Operation) errorExample(status int) (reflect.Type, any) {
	if status == http.StatusUnprocessableEntity {
		const msg = "Field required"
		return reflect.TypeFor[validationError](), validationError{validationDetail{
			Code: status, Message: msg, Loc: []any{"body"}, Msg: msg,
			Type: "missing",
		}}
	}
	return reflect.TypeFor[plainError](), plainError{plainDetail{Code: status, Message: r.errorMessage(status)}}
}

func (r Operation) errorMessage(status int) string {
	switch {
	case status == http.StatusNotFound:
		return strings.ReplaceAll(r.NotFound, "%s", ExampleID)
	case status == http.StatusConflict && r.Conflict != "":
		return r.Conflict
	case status == http.StatusUnauthorized && r.Path == "/token":
		return "Invalid username or password"
	case status == http.StatusUnauthorized && r.Path == "/refresh":
		return "Invalid Refresh Token"
	}
	return map[int]string{
		400: "Invalid JWT format",
		401: "Authentication header is missing, or token is invalid/expired",
		403: "You do not have access to this resource",
		406: "Accept must allow application/json",
		409: "The feed ends at 4711: it holds no event 9000",
		410: "Export with ID " + ExampleID + " holds records of a share that has ended: make it again without them",
		412: "The record has changed since it was read",
		413: "Request body is larger than 1048576 bytes",
		415: "Content-Type must be application/json",
		416: "The file has no such part",
		429: "Too many requests, try again later",
		500: "Internal error",
		503: "Service is overloaded, try again later",
	}[status]
}

// exampleOf makes a plain JSON value of an example of the type.
func (i Interface) exampleOf(t reflect.Type) (any, error) {
	list := t.Kind() == reflect.Slice
	if list {
		t = t.Elem()
	}
	for _, v := range i.Examples {
		if reflect.TypeOf(v) != t {
			continue
		}
		if list {
			v = []any{v}
		}
		text, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("write example: %w", err)
		}
		var plain any
		return plain, json.Unmarshal(text, &plain)
	}
	return nil, fmt.Errorf("no example of %s", t)
}
