-- What the transaction of one tenant leaves for another: positions of a shared device
-- that milestones are to be judged by, and journeys that teach. A row is written with
-- what caused it, and goes once its recipient has taken it. After_sequence is where the
-- feed of its sender ended: the events up to it are taken first.
CREATE TABLE message (
    tenant_id      UUID NOT NULL,
    recipient_id   UUID NOT NULL,
    number         BIGINT NOT NULL,
    after_sequence BIGINT NOT NULL,
    kind           TEXT NOT NULL,
    content        TEXT NOT NULL,
    PRIMARY KEY (tenant_id, recipient_id, number)
);

-- How many messages a tenant has sent, and how far another has taken them.
ALTER TABLE event_sequence ADD COLUMN messages BIGINT NOT NULL DEFAULT 0;
ALTER TABLE inbox ADD COLUMN message BIGINT NOT NULL DEFAULT 0;
