-- Why a derived trip began and ended, as JSON; null for a vendor's own.
ALTER TABLE trip ADD COLUMN why TEXT;
