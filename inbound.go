package drover

// InboundAddress is the address for a provider's notices about a connection. Its token is
// shown only once.
type InboundAddress struct {
	ConnectionID string `json:"connection_id"`
	URL          string `json:"url" doc:"Where the provider is to send its notices. It is shown this once; the one before is no longer taken."`
	Help         string `json:"help" doc:"Where the provider takes the address."`
	// Signed says that notices are verified by the provider's own signature, or key.
	Signed    bool `json:"signed" doc:"The credentials have a webhook_secret, and notices without the provider's own signature, or key, are refused."`
	CreatedAt Time `json:"created_at"`
}

// InboundState is the state of a provider's notices.
type InboundState struct {
	CreatedAt    Time  `json:"created_at"`
	LastNoticeAt *Time `json:"last_notice_at" doc:"When the provider last sent a notice; null before the first."`
}
