-- Tenants are seldom suspended, and most statements ask who is: without an index of its own
-- PostgreSQL reads all tenants to find that none is.
CREATE INDEX tenant_suspended ON tenant (id) WHERE suspended = TRUE;
-- These find a record whose tenant is not known, as the indexes of other ids do.
CREATE INDEX session_id ON session (id);
CREATE INDEX api_key_id ON api_key (id);
CREATE INDEX connection_link_id ON connection_link (id);
CREATE INDEX recompute_id ON recompute (id);
CREATE INDEX export_id ON export (id);
