-- The version of a tenant's webhooks as matching knows them: a text that was never
-- there before, with each change. It lies beside the counter that whoever appends
-- events has locked, so that what is remembered for a version is true.
ALTER TABLE event_sequence ADD COLUMN receivers TEXT NOT NULL DEFAULT '';
