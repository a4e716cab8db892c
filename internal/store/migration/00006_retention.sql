-- How many days a tenant's positions are kept: null is what the operator has set
-- for all, 0 for ever.
ALTER TABLE tenant ADD COLUMN position_days BIGINT;
