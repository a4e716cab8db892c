-- What a person says of a trip goes before what the rules say.
ALTER TABLE trip ADD COLUMN judged_valid BOOLEAN;
ALTER TABLE trip ADD COLUMN judged_comment TEXT;
