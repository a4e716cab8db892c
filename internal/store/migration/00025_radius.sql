-- The radius of a milestone's circles in metres, where its tenant has set one.
ALTER TABLE milestone ADD COLUMN radius_metres DOUBLE PRECISION;
