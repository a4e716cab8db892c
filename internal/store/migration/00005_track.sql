-- When a milestone is next looked at, whatever its positions do: its silence, its
-- deadline, its next prediction. Null where there is nothing to wait for. Whoever
-- claims it moves this on, so that others pass it over for a while.
ALTER TABLE milestone ADD COLUMN due_at BIGINT;
-- When the device arrived; null before, and where the deadline ended the journey.
ALTER TABLE milestone ADD COLUMN arrived_at BIGINT;
CREATE INDEX milestone_due ON milestone (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX milestone_arrived ON milestone (arrived_at) WHERE arrived_at IS NOT NULL;
UPDATE milestone SET due_at = created_at WHERE status <> 'trip_ended';

-- What was predicted of arrivals, to be held against what came true.
CREATE TABLE eta_prediction (
    tenant_id    UUID NOT NULL,
    milestone_id UUID NOT NULL,
    time         BIGINT NOT NULL,
    eta          BIGINT NOT NULL,
    distance_km  DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (tenant_id, milestone_id, time)
);

CREATE INDEX event_milestone ON event (tenant_id, milestone_id, sequence) WHERE milestone_id IS NOT NULL;
