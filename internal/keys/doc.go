// Package keys is the room of secrets: auth hashes passwords, signs tokens and throttles failed
// logins; openid signs people in at another provider; secret seals values; vault keeps the open
// keys of a process. It has no code of its own.
//
// It may import background, order, quota and store. auth, openid and secret use no database.
//
//	master key (the operator's) ─ seals ─► data keys, signing keys (in the database)
//	data keys ─ seal ─► credentials, webhook secrets, kept answers, bound to tenant and record
package keys
