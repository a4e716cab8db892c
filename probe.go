package drover

// ProbeReport is the result of probing a connection's provider, for the maintainers of its
// adapter. It has no credentials, plates, names or places.
type ProbeReport struct {
	Provider ProviderName `json:"provider"`
	Version  string       `json:"version"`
	At       Time         `json:"at"`
	Steps    []ProbeStep  `json:"steps"`
	// Forms are the formats that the provider was found to use, by name.
	Forms map[string]string `json:"forms"`
	// Quality is the result of checking the positions that were read.
	Quality *ConnectionQuality `json:"quality"`
	// Deviations describe what differs from what the adapter expects.
	Deviations []string `json:"deviations"`
}

// ProbeStep is one step of a probe.
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
