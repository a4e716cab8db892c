-- What the data of a connection say of themselves: counts, and the verdict that was
-- announced last.
CREATE TABLE connection_quality (
    tenant_id     UUID NOT NULL,
    connection_id UUID NOT NULL,
    verdict       TEXT NOT NULL,
    facts         TEXT NOT NULL,
    updated_at    BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, connection_id)
);
