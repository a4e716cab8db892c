package drover

// ProbeReport is what came of looking at a connection's provider, to be sent to
// those who maintain the adapter: no credentials, plates, names or places.
type ProbeReport struct {
	Provider ProviderName `json:"provider"`
	Version  string       `json:"version"`
	At       Time         `json:"at"`
	Steps    []ProbeStep  `json:"steps"`
	// Forms are those that the provider was met to use, by name.
	Forms map[string]string `json:"forms"`
	// Quality is what the positions that were read say of themselves.
	Quality *ConnectionQuality `json:"quality"`
	// Deviations are what is otherwise than the adapter expects, in words.
	Deviations []string `json:"deviations"`
}

// ProbeStep is one question to a provider.
type ProbeStep struct {
	Name         string         `json:"name"` // login, devices, positions or trips
	Error        *string        `json:"error"`
	ErrorKind    *string        `json:"error_kind"`
	Milliseconds int64          `json:"milliseconds"`
	Records      int            `json:"records"`
	More         bool           `json:"more"`
	Coverage     map[string]int `json:"coverage"` // records that have a field
	Calls        []ProbeCall    `json:"calls"`
}

// ProbeCall is a call of a step.
type ProbeCall struct {
	Method       string   `json:"method"`
	Path         string   `json:"path"`
	Query        []string `json:"query"`
	Status       int      `json:"status"`
	ContentType  string   `json:"content_type"`
	Bytes        int      `json:"bytes"`
	Milliseconds int64    `json:"milliseconds"`
	Fields       []string `json:"fields"`
}
