-- The limits that the operator has set for a tenant instead of the defaults.
CREATE TABLE tenant_limit (
    tenant_id UUID NOT NULL REFERENCES tenant (id),
    quota     TEXT NOT NULL,
    most      BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, quota)
);

-- Whether somebody asked for a history job: those that come with a connection do not
-- count towards the limit of sync jobs.
ALTER TABLE stream ADD COLUMN asked BOOLEAN NOT NULL DEFAULT FALSE;
