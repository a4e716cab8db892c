-- A session of the console is known by a cookie: the hash of its secret. Others
-- have none. Preferences are JSON that only the user's own programs understand.
ALTER TABLE session ADD COLUMN cookie_hash TEXT;
ALTER TABLE account_user ADD COLUMN preferences TEXT NOT NULL DEFAULT '{}';
