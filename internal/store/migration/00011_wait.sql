-- Until when a receiver has asked not to be called.
ALTER TABLE delivery_target ADD COLUMN wait_until BIGINT NOT NULL DEFAULT 0;
