-- Whether positions named the driver of a vendor's trip, which further ones may change.
-- Of those that are stored already, the ones without a driver are named when positions
-- do; the others keep theirs.
ALTER TABLE trip ADD COLUMN driver_by_positions BOOLEAN NOT NULL DEFAULT FALSE;
