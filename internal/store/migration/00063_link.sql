-- Links for people without a user. Only the hash of a link's text is kept.
CREATE TABLE milestone_link (
    tenant_id      UUID NOT NULL,
    id             UUID NOT NULL,
    milestone_id   UUID NOT NULL,
    hash           TEXT NOT NULL,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    opened_count   BIGINT NOT NULL DEFAULT 0,
    last_opened_at BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX milestone_link_hash ON milestone_link (hash);
CREATE INDEX milestone_link_milestone ON milestone_link (tenant_id, milestone_id);

-- One that was used stays: by it the fleet withdraws. Tags and providers are JSON.
CREATE TABLE connection_link (
    tenant_id             UUID NOT NULL,
    id                    UUID NOT NULL,
    hash                  TEXT NOT NULL,
    business_name         TEXT NOT NULL,
    abn                   TEXT,
    email                 TEXT,
    tags                  TEXT NOT NULL,
    providers             TEXT NOT NULL,
    collection_start_time BIGINT,
    connection_id         UUID,
    created_at            BIGINT NOT NULL,
    expires_at            BIGINT NOT NULL,
    used_at               BIGINT,
    withdrawn_at          BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX connection_link_hash ON connection_link (hash);
