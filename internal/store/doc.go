// Package store keeps all data, in SQLite or in PostgreSQL.
//
// One Store serves both databases. A statement is written once wherever one text works for
// both; database.Dialect has the words that differ, and type specific the methods that differ.
// A write names the table that it changes (Tx.write), so that caches of it are dropped.
//
// Reads are methods of Store and of Tx. Changes are methods of Tx only, so that changes that
// belong together are committed together. Both hand out the same handles: Accounts, SignIn,
// Fleet (connections and devices), Shares, Vehicles (readings, faults, safety events, notes),
// Drivers, Trips (with stops, days and milestones), Webhooks, Feed, Jobs and History. A
// function takes the handle that it uses.
//
// Below this package: database opens connections and runs transactions, account has tenants and
// users, directory finds the tenant of what comes without one, work has queues and leases,
// history has positions by time, pack encodes blocks of them, and batch combines reads by id.
//
// It may import background, memory, order and trace. It checks no rights: it returns who owns a
// record and with whom it is shared, and package fleet decides.
package store
