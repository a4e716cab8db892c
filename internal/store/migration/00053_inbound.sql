-- Addresses that providers may call with news of a connection. Of a token only its
-- SHA-256 is kept.
CREATE TABLE connection_inbound (
    tenant_id      UUID NOT NULL,
    connection_id  UUID NOT NULL,
    token_hash     BYTEA NOT NULL,
    created_at     BIGINT NOT NULL,
    last_notice_at BIGINT,
    PRIMARY KEY (tenant_id, connection_id)
);
CREATE INDEX connection_inbound_id ON connection_inbound (connection_id);
