// Package providertest is the conformance suite that every adapter passes, run
// against a fake of its vendor's API.
//
// # Writing an adapter
//
// An adapter acme is one folder:
//
//	acme/acme.go        Info, New, which declares the calls of the seam, and its methods
//	acme/wire.go        the vendor's JSON types and their pure conversions
//	acme/acme_test.go   providertest.Run, golden pairs, what is the vendor's own
//	acme/acmetest/      the fake: New(*sim.Account) http.Handler
//	acme/testdata/      golden pairs: a vendor's payload and the records it gives
//
// The adapter sends through Config.HTTP only, with a client.Client. Pacing, retries
// and time-outs are not its business; saying what a failure means is, where the
// status alone does not tell: vendors that refuse credentials with 400 or with
// 200 and an error in the body, or that are throttled with 403. Its lists are those
// of package paging and its jobs those of package window; it logs in with package
// session, and decodes with the types of package wire. Config.BaseURL replaces every host of the vendor: the
// fake serves them all under their paths.
//
// # Writing a fake
//
// A fake serves a sim.Account in the vendor's own words: its paths, parameters,
// paging, units, time forms and errors, as the vendor's documentation has them.
// It refuses what the vendor refuses: wrong credentials in the vendor's own
// manner (Account.Accepts, Account.LoggedIn), missing parameters, windows that
// are too long, pages that are too large. It is code of the product, used by the
// demo too, and imports neither this package nor the adapter: an adapter and a
// fake that share types would share their mistakes.
//
// A fake that selects by time uses Account.Positions; one with a feed or cursor
// uses Account.Arrived, which is in the order of arrival, so that late records
// come after newer ones.
//
// # Running the suite
//
//	providertest.Run(t, providertest.Harness{
//		Info:        acme.Info,
//		Credentials: map[string]string{"api_key": "0123456789abcdef"},
//		Vendor:      acmetest.New,
//		Lacks:       map[string]string{"Trips/Window": "Acme has no trip history"},
//	})
//
// What the vendor cannot report is said once, in Info.Features: a value without its
// feature must be nil, one with it must equal the truth. What Features is too
// coarse for is taken away by the Expect functions.
package providertest
