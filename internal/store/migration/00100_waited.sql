-- When a receiver's wish not to be called was noted. One that lies ahead was noted by a
-- clock that has been put right since, and so does not hold.
ALTER TABLE delivery_target ADD COLUMN waited_at BIGINT NOT NULL DEFAULT 0;
