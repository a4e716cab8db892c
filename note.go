package drover

// Note is a text that a person has written about a device or one of its trips. Shares do not
// show it.
type Note struct {
	ID        string  `json:"id"`
	DeviceID  string  `json:"device_id"`
	TripID    *string `json:"trip_id" doc:"The trip that it is about; null where it is about the device."`
	Author    string  `json:"author" doc:"Who wrote it, by the name at that time: a user, or a key."`
	AuthorID  string  `json:"author_id" doc:"The user or the key."`
	CreatedAt Time    `json:"created_at"`
	Text      string  `json:"text" doc:"What was written, as plain text."`
}

// NoteInput is a new note.
type NoteInput struct {
	TripID *string `json:"trip_id" required:"false" maxLength:"255" doc:"A trip of the device that the note is about; without it, it is about the device."`
	Text   string  `json:"text" minLength:"1" maxLength:"2000" trimmed:"true" doc:"Plain text of at most 2,000 characters. Blanks around it are left out."`
}

// MaxNotes bounds the notes of one device.
const MaxNotes = 1000
