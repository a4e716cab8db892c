package client

import "net/http"

// Bearer signs with the token of the session.
func Bearer(req *http.Request, token string) { req.Header.Set("Authorization", "Bearer "+token) }

// Header signs with headers that are always the same: names and values in turns.
func Header(pairs ...string) func(*http.Request, string) {
	return func(req *http.Request, _ string) {
		for i := 0; i+1 < len(pairs); i += 2 {
			req.Header.Set(pairs[i], pairs[i+1])
		}
	}
}

// Basic signs with a name and a password.
func Basic(name, password string) func(*http.Request, string) {
	return func(req *http.Request, _ string) { req.SetBasicAuth(name, password) }
}

// Query signs with parameters of the address: names and values in turns.
func Query(pairs ...string) func(*http.Request, string) {
	return func(req *http.Request, _ string) { AddQuery(req, pairs...) }
}

// AddQuery adds parameters to the address of a request: names and values in turns.
func AddQuery(req *http.Request, pairs ...string) {
	query := req.URL.Query()
	for i := 0; i+1 < len(pairs); i += 2 {
		query.Set(pairs[i], pairs[i+1])
	}
	req.URL.RawQuery = query.Encode()
}
