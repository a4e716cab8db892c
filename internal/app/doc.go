// Package app puts the service together and runs it. The command line and the end-to-end tests
// use the same App.
//
// It may import every room. It and package demo are the only ones that import the adapters.
//
// New opens the store and makes the parts. Run serves requests until its context ends. Start
// starts the background tasks, Stop stops them in the opposite order, and Close closes the
// store.
package app
