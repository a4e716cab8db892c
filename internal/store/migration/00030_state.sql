-- What a device does, as it was last reported, and since when; null for devices
-- that have not reported since. silent_due is when to look whether it has fallen
-- silent; null once it has.
ALTER TABLE device_latest ADD COLUMN state TEXT;
ALTER TABLE device_latest ADD COLUMN state_since BIGINT;
ALTER TABLE device_latest ADD COLUMN silent_due BIGINT;
CREATE INDEX device_latest_silent ON device_latest (silent_due) WHERE silent_due IS NOT NULL;
