package client

// Version is that of this client and of those in other languages: make generate writes it
// into their packages.
const Version = "1.0.0"

// userAgent names the client in the service's logs.
const userAgent = "drover-go/" + Version
