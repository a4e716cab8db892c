-- A share is offered, and gives access once it is accepted. Those that were there
-- did so before, and go on doing so.
ALTER TABLE connection_share ADD COLUMN id UUID NOT NULL DEFAULT gen_random_uuid();
ALTER TABLE connection_share ADD COLUMN accepted_at BIGINT;
ALTER TABLE connection_share ADD COLUMN expires_at BIGINT;
ALTER TABLE connection_share ADD COLUMN positions BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE connection_share ADD COLUMN drivers BOOLEAN NOT NULL DEFAULT TRUE;
UPDATE connection_share SET accepted_at = created_at;
CREATE INDEX connection_share_id ON connection_share (id);

-- A code that a tenant has made, so that an offer can name it. Only its hash is kept.
CREATE TABLE share_code (
    tenant_id  UUID NOT NULL,
    hash       TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, hash)
);
CREATE INDEX share_code_hash ON share_code (hash);
