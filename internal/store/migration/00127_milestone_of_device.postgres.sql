-- The milestones of one device in the order of the list: those of all tenants were read
-- for them. SQLite, which plans by the text, would take it for an index of open ones.
CREATE INDEX milestone_of_device ON milestone (tenant_id, device_id, id);
