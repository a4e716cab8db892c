-- When due_at was set, by the same clock: what was set in the future was set before
-- the clock was put back. And whether somebody asked for the connection to be read
-- while it was held.
ALTER TABLE collection ADD COLUMN scheduled_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE collection ADD COLUMN woken BOOLEAN NOT NULL DEFAULT FALSE;
