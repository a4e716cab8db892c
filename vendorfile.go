package drover

// ConnectionFile is the file that describes the provider of a connection, as its operator has
// placed it.
type ConnectionFile struct {
	ConnectionID string `json:"connection_id"`
	// Version is nil where no file describes the provider, or nothing was read yet.
	Version *string      `json:"version" doc:"The version that the connection is read with: a hash of the text. Null where no file describes the provider, or the connection was not read yet."`
	Since   *Time        `json:"since" doc:"When that version was found."`
	Text    *string      `json:"text" doc:"The file, as the operator placed it. It holds no credentials."`
	Refused *FileRefusal `json:"refused" doc:"A later version that failed when it was tried with this connection, which goes on with the one that it has. Null where there is none."`
	FileUsed
}

// FileRefusal is a version of a file that failed.
type FileRefusal struct {
	Version string `json:"version" doc:"Its hash."`
	At      Time   `json:"at" doc:"When it was tried last."`
	Reason  string `json:"reason" doc:"What went wrong, in words."`
}

// FileUsed is what the last runs used of a file, and what came of it.
type FileUsed struct {
	Parts   []FilePart    `json:"parts" doc:"The calls of the file that runs made, each as its last run did."`
	Records []FileRecords `json:"records" doc:"What the last run of each kind gave."`
}

// FilePart is a call that a file describes.
type FilePart struct {
	Part     string `json:"part" doc:"Its key in the file, such as positions.newest."`
	FromLine int    `json:"from_line" doc:"The first of its lines in the text."`
	ToLine   int    `json:"to_line" doc:"The last of its lines."`
	Calls    int    `json:"calls" doc:"How often the run made it."`
	Rows     int    `json:"rows" doc:"Rows in the answers. Those that are no record are left out of records."`
	At       Time   `json:"at" doc:"When the run was."`
}

// FileRecords is how many records of a kind a run gave.
type FileRecords struct {
	Kind    string `json:"kind" doc:"devices, positions or trips."`
	Records int    `json:"records" doc:"How many."`
	At      Time   `json:"at" doc:"When the run was."`
}
