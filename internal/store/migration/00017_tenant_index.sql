-- A unique index without the tenant cannot be held where tenants lie apart. Ids are
-- random enough to be unique by themselves; these indexes find a record whose
-- tenant is not known.
DROP INDEX account_user_id;
CREATE INDEX account_user_id ON account_user (id);
DROP INDEX connection_id;
CREATE INDEX connection_id ON connection (id);
DROP INDEX device_id;
CREATE INDEX device_id ON device (id);
DROP INDEX trip_id;
CREATE INDEX trip_id ON trip (id);
DROP INDEX milestone_id;
CREATE INDEX milestone_id ON milestone (id);
DROP INDEX webhook_id;
CREATE INDEX webhook_id ON webhook (id);
DROP INDEX webhook_secret_id;
CREATE INDEX webhook_secret_id ON webhook_secret (id);
