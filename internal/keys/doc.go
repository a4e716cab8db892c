// Package keys is the room of secrets: auth hashes passwords, signs tokens and slows down
// guessing; secret seals values; vault keeps the opened keys of a process. It has no code of
// its own.
//
// It may import store. auth and secret have no database.
//
//	master key (the operator's) ─ seals ─► data keys, signing keys (in the database)
//	data keys ─ seal ─► credentials, webhook secrets, kept answers, bound to tenant and record
package keys
