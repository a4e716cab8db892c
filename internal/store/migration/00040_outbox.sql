-- Events of a tenant that are to be appended to the feed of another, with whom
-- their connection is shared: where they lie in the owner's feed, and what each is
-- about. A row is written with the events, and goes once they are appended.
CREATE TABLE outbox (
    tenant_id      UUID NOT NULL,
    recipient_id   UUID NOT NULL,
    first_sequence BIGINT NOT NULL,
    last_sequence  BIGINT NOT NULL,
    connection_id  UUID NOT NULL,
    subjects       TEXT NOT NULL,
    PRIMARY KEY (tenant_id, recipient_id, first_sequence)
);

-- How far a tenant has taken over the events of another.
CREATE TABLE inbox (
    tenant_id UUID NOT NULL,
    owner_id  UUID NOT NULL,
    sequence  BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, owner_id)
);
