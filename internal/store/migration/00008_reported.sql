-- Who has reported recently is counted by the hour of the newest position: an index
-- of its very time would move with each position that comes.
ALTER TABLE device_latest ADD COLUMN reported_hour BIGINT NOT NULL DEFAULT 0;
UPDATE device_latest SET reported_hour = position_time / 3600000;
DROP INDEX device_latest_time;
CREATE INDEX device_latest_reported ON device_latest (tenant_id, reported_hour);
