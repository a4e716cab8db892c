-- The schema that both databases share; 00002 adds what differs between them. Times are
-- milliseconds since 1970. JSON is text. Every key starts with the tenant, whose rows lie
-- together. Ids are random enough to be unique by themselves, so the indexes that find a
-- record whose tenant is not known need not be unique, and tenants may lie apart.

-- ---------------------------------------------------------------------------------------
-- Accounts: tenants, users, keys, and what they have set.
-- ---------------------------------------------------------------------------------------

-- position_days is for how many days positions are kept: null is what the operator has
-- set for all, 0 is for ever. brand is how the tenant's public pages look, as JSON.
-- factor_rule is whose second factor is required, as JSON; null is no one's. A
-- tenant that is being erased is suspended too; the process that erases it moves erase_at
-- on, so that others leave it alone.
CREATE TABLE tenant (
    id             UUID PRIMARY KEY,
    name           TEXT NOT NULL UNIQUE,
    suspended      BOOLEAN NOT NULL DEFAULT FALSE,
    password_login BOOLEAN NOT NULL DEFAULT TRUE,
    factor_rule    TEXT,
    position_days  BIGINT,
    brand          TEXT,
    erase_at       BIGINT,
    created_at     BIGINT NOT NULL
);
CREATE INDEX tenant_erase ON tenant (erase_at) WHERE erase_at IS NOT NULL;
-- Tenants are seldom suspended, and most statements ask for it: without an index of its
-- own PostgreSQL reads all tenants to find none.
CREATE INDEX tenant_suspended ON tenant (id) WHERE suspended = TRUE;

-- The limits that the operator has set for a tenant instead of the defaults. The row of an
-- empty quota is what those lock who count: of two who want the last place one is refused.
CREATE TABLE tenant_limit (
    tenant_id UUID NOT NULL REFERENCES tenant (id),
    quota     TEXT NOT NULL,
    most      BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, quota)
);

-- Preferences are JSON that only the user's own programs understand. A break-glass user
-- signs in with its password also where the tenant has switched that off; a user without a
-- password has an empty hash. One with a second factor says so, so that no login and no
-- session has to look for it.
CREATE TABLE account_user (
    tenant_id     UUID NOT NULL REFERENCES tenant (id),
    id            UUID NOT NULL,
    username      TEXT NOT NULL,
    email         TEXT NOT NULL,
    login_name    TEXT NOT NULL CHECK (login_name NOT LIKE '%@%'),
    login_email   TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    role          TEXT NOT NULL,
    disabled      BOOLEAN NOT NULL DEFAULT FALSE,
    break_glass   BOOLEAN NOT NULL DEFAULT FALSE,
    second_factor BOOLEAN NOT NULL DEFAULT FALSE,
    preferences   TEXT NOT NULL DEFAULT '{}',
    created_at    BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, login_name),
    UNIQUE (tenant_id, login_email)
);
CREATE INDEX account_user_id ON account_user (id);

-- A session of the console is known by a cookie: the hash of its secret. Other sessions
-- have no cookie. One that a provider opened ends at the latest at ends_at, and at the
-- provider at logout_url. factor_at is when the second factor was last shown in it.
CREATE TABLE session (
    tenant_id   UUID NOT NULL,
    id          UUID NOT NULL,
    user_id     UUID NOT NULL,
    cookie_hash TEXT,
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    revoked_at  BIGINT,
    ends_at     BIGINT,
    logout_url  TEXT,
    factor_at   BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX session_id ON session (id);
CREATE INDEX session_by_user ON session (tenant_id, user_id);
CREATE INDEX session_expiry ON session (expires_at);

-- The authenticator app of a user, whose id is the row's. The secret is sealed. It counts
-- from confirmed_at on. last_step is that of the last code that was accepted: none is twice.
-- failures are the wrong codes since.
CREATE TABLE totp (
    tenant_id    UUID NOT NULL,
    id           UUID NOT NULL,
    secret       BYTEA NOT NULL,
    confirmed_at BIGINT,
    last_step    BIGINT NOT NULL DEFAULT 0,
    failures     BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX totp_id ON totp (id);

-- The passkeys of users. The device has chosen the name of the credential, in base64url. The key is the public one; counter is how often
-- the device said that it has signed, 0 where it does not count. Those that may move may be in
-- several devices, and have moved where they are.
CREATE TABLE passkey (
    tenant_id    UUID NOT NULL,
    id           UUID NOT NULL,
    user_id      UUID NOT NULL,
    name         TEXT NOT NULL,
    credential   TEXT NOT NULL,
    public_key   BYTEA NOT NULL,
    counter      BIGINT NOT NULL,
    may_move     BOOLEAN NOT NULL,
    moved        BOOLEAN NOT NULL,
    created_at   BIGINT NOT NULL,
    last_used_at BIGINT,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, credential)
);
CREATE INDEX passkey_id ON passkey (id);
CREATE INDEX passkey_by_user ON passkey (tenant_id, user_id);

-- The recovery codes that a user has left, by their hashes. One that is used is deleted.
CREATE TABLE recovery_code (
    tenant_id UUID NOT NULL,
    user_id   UUID NOT NULL,
    hash      TEXT NOT NULL,
    PRIMARY KEY (tenant_id, user_id, hash)
);

-- How a tenant's people sign in at its own provider. Settings are JSON; the client secret is
-- sealed, an empty one too. The code is that of the address where people begin.
CREATE TABLE single_sign_on (
    tenant_id UUID NOT NULL REFERENCES tenant (id),
    id        UUID NOT NULL,
    code      TEXT NOT NULL,
    settings  TEXT NOT NULL,
    secret    BYTEA NOT NULL,
    PRIMARY KEY (tenant_id)
);
CREATE INDEX single_sign_on_id ON single_sign_on (id);

-- Who a user is at a provider: never known by an address, which may be given to another.
CREATE TABLE user_identity (
    tenant_id  UUID NOT NULL,
    issuer     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    user_id    UUID NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, issuer, subject)
);
CREATE INDEX user_identity_user ON user_identity (tenant_id, user_id);

-- Sign-ins at a provider that have come back, by the hash of their state, and challenges that a
-- passkey has signed, until they would have run out: none comes back twice.
CREATE TABLE spent_sign_in (
    tenant_id  UUID NOT NULL,
    hash       TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, hash)
);
CREATE INDEX spent_sign_in_expiry ON spent_sign_in (expires_at);

-- An API key is known by the hash of its secret. Scopes and networks are JSON. One whose
-- owner is the user ends with its maker.
CREATE TABLE api_key (
    tenant_id    UUID NOT NULL,
    id           UUID NOT NULL,
    name         TEXT NOT NULL,
    hash         TEXT NOT NULL,
    role         TEXT,
    scopes       TEXT NOT NULL,
    networks     TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT,
    last_used_at BIGINT,
    owner        TEXT NOT NULL DEFAULT 'tenant',
    maker_id     UUID,
    maker_name   TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX api_key_id ON api_key (id);
CREATE INDEX api_key_hash ON api_key (tenant_id, hash);

-- A key of the operator belongs to no tenant. Scopes are JSON.
CREATE TABLE operator_key (
    id           UUID PRIMARY KEY,
    name         TEXT NOT NULL,
    hash         TEXT NOT NULL,
    scopes       TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT,
    last_used_at BIGINT
);
CREATE UNIQUE INDEX operator_key_hash ON operator_key (hash);

-- What each tenant used on a day since 1970, which processes count and add up. bytes is
-- what its history took when it was last measured on that day. It outlives the tenant.
CREATE TABLE usage_day (
    tenant_id  UUID NOT NULL,
    day        BIGINT NOT NULL,
    requests   BIGINT NOT NULL DEFAULT 0,
    positions  BIGINT NOT NULL DEFAULT 0,
    deliveries BIGINT NOT NULL DEFAULT 0,
    bytes      BIGINT,
    PRIMARY KEY (tenant_id, day)
);
CREATE INDEX usage_day_day ON usage_day (day);

-- Keys that sign tokens, and data keys that seal credentials. Both are sealed with the
-- operator's master key.
CREATE TABLE signing_key (
    id         TEXT PRIMARY KEY,
    sealed     BYTEA NOT NULL,
    active     BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE data_key (
    id         TEXT PRIMARY KEY,
    sealed     BYTEA NOT NULL,
    active     BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);

-- One row: the version of everything that processes keep in memory about keys, users and
-- sessions. Each change of those adds one; the processes look several times a second.
CREATE TABLE auth_version (
    one     BIGINT PRIMARY KEY,
    version BIGINT NOT NULL
);
INSERT INTO auth_version (one, version) VALUES (1, 1);

-- Logins by name from an address, by address and by name, under hashes of these: how often
-- they failed, and when one succeeded. Processes share the counts, or there would be so many
-- times as many guesses as processes. Each row has cost a password hash, and soon runs out.
CREATE TABLE login_try (
    key       TEXT PRIMARY KEY,
    failures  BIGINT NOT NULL,
    failed_at BIGINT NOT NULL,
    known_at  BIGINT NOT NULL
);

-- Who did what. Names are copied: the record outlives the user and the key. Refusals with
-- the same name of their kind are one row that counts them.
CREATE TABLE audit (
    tenant_id   UUID NOT NULL,
    id          UUID NOT NULL,
    time        BIGINT NOT NULL,
    actor_type  TEXT NOT NULL,
    actor_id    UUID,
    actor_name  TEXT NOT NULL,
    action      TEXT NOT NULL,
    record_type TEXT,
    record_id   TEXT,
    address     TEXT,
    request_id  TEXT,
    outcome     TEXT NOT NULL,
    count       BIGINT NOT NULL DEFAULT 1,
    last_at     BIGINT,
    same        TEXT,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX audit_same ON audit (tenant_id, same);
CREATE INDEX audit_time ON audit (time);
CREATE INDEX audit_record ON audit (tenant_id, record_id);

-- Answers of POST requests that carried an Idempotency-Key, sealed, because an answer may
-- hold a secret that is shown once.
CREATE TABLE idempotency (
    tenant_id  UUID NOT NULL,
    id         UUID NOT NULL,
    user_id    UUID NOT NULL,
    key        TEXT NOT NULL,
    request    TEXT NOT NULL,
    answer     BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, user_id, key)
);
CREATE INDEX idempotency_id ON idempotency (id);
CREATE INDEX idempotency_age ON idempotency (created_at);

-- What a tenant, or one of its devices, has set for itself, as JSON. The subject is the
-- tenant's own id, or the device's.
CREATE TABLE setting (
    tenant_id  UUID NOT NULL,
    subject_id UUID NOT NULL,
    settings   TEXT NOT NULL,
    PRIMARY KEY (tenant_id, subject_id)
);

-- Links for people without a user. Only the hash of a link's text is kept.
CREATE TABLE milestone_link (
    tenant_id      UUID NOT NULL,
    id             UUID NOT NULL,
    milestone_id   UUID NOT NULL,
    hash           TEXT NOT NULL,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    opened_count   BIGINT NOT NULL DEFAULT 0,
    last_opened_at BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX milestone_link_hash ON milestone_link (tenant_id, hash);
CREATE INDEX milestone_link_milestone ON milestone_link (tenant_id, milestone_id);

-- A link that was used stays: by it the fleet withdraws. Tags and providers are JSON.
CREATE TABLE connection_link (
    tenant_id             UUID NOT NULL,
    id                    UUID NOT NULL,
    hash                  TEXT NOT NULL,
    business_name         TEXT NOT NULL,
    abn                   TEXT,
    email                 TEXT,
    tags                  TEXT NOT NULL,
    providers             TEXT NOT NULL,
    collection_start_time BIGINT,
    connection_id         UUID,
    created_at            BIGINT NOT NULL,
    expires_at            BIGINT NOT NULL,
    used_at               BIGINT,
    withdrawn_at          BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX connection_link_id ON connection_link (id);
CREATE INDEX connection_link_hash ON connection_link (tenant_id, hash);

-- A code that a tenant has made, so that an offer to share can name it. Only its hash is
-- kept.
CREATE TABLE share_code (
    tenant_id  UUID NOT NULL,
    hash       TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, hash)
);

-- Whose it is that comes without a tenant: names of logins, keys, links, codes, the connections
-- that providers have news of, and shares, which also the tenant finds with whom they are. A row
-- is written and deleted with what it names. No two tenants have the same key of a kind.
CREATE TABLE directory (
    kind         TEXT NOT NULL,
    key          TEXT NOT NULL,
    tenant_id    UUID NOT NULL,
    recipient_id UUID,
    expires_at   BIGINT,
    PRIMARY KEY (kind, key)
);
CREATE INDEX directory_tenant ON directory (tenant_id);
CREATE INDEX directory_recipient ON directory (recipient_id) WHERE recipient_id IS NOT NULL;
CREATE INDEX directory_expiry ON directory (expires_at) WHERE expires_at IS NOT NULL;

-- What the check of readiness writes to.
CREATE TABLE write_probe (
    one SMALLINT PRIMARY KEY,
    at  BIGINT NOT NULL
);
INSERT INTO write_probe (one, at) VALUES (1, 0);

-- ---------------------------------------------------------------------------------------
-- Fleet records: connections, devices, trips, stops, milestones, webhooks, and their sums.
-- ---------------------------------------------------------------------------------------

CREATE TABLE connection (
    tenant_id             UUID NOT NULL REFERENCES tenant (id),
    id                    UUID NOT NULL,
    integration_name      TEXT NOT NULL,
    business_name         TEXT NOT NULL,
    abn                   TEXT,
    email                 TEXT,
    active                BOOLEAN NOT NULL,
    collection_start_time BIGINT NOT NULL,
    collection_end_time   BIGINT,
    configuration         TEXT NOT NULL,
    credentials           BYTEA NOT NULL,
    state                 TEXT NOT NULL,
    created_at            BIGINT NOT NULL,
    updated_at            BIGINT NOT NULL,
    change                BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX connection_id ON connection (id);

-- A share is offered, and gives access once it is accepted.
CREATE TABLE connection_share (
    tenant_id     UUID NOT NULL,
    connection_id UUID NOT NULL,
    shared_with   UUID NOT NULL,
    id            UUID NOT NULL,
    positions     BOOLEAN NOT NULL DEFAULT TRUE,
    drivers       BOOLEAN NOT NULL DEFAULT TRUE,
    readings      BOOLEAN NOT NULL DEFAULT TRUE,
    safety        BOOLEAN NOT NULL DEFAULT TRUE,
    created_at    BIGINT NOT NULL,
    accepted_at   BIGINT,
    expires_at    BIGINT,
    PRIMARY KEY (tenant_id, connection_id, shared_with)
);
CREATE INDEX connection_share_id ON connection_share (tenant_id, id);
CREATE INDEX connection_share_with ON connection_share (shared_with);

CREATE TABLE tag (
    tenant_id UUID NOT NULL,
    id        UUID NOT NULL,
    name      TEXT NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, name)
);

CREATE TABLE connection_tag (
    tenant_id     UUID NOT NULL,
    connection_id UUID NOT NULL,
    tag_id        UUID NOT NULL,
    PRIMARY KEY (tenant_id, connection_id, tag_id)
);

-- What the data of a connection say of themselves: counts, and the verdict that was
-- announced last.
CREATE TABLE connection_quality (
    tenant_id     UUID NOT NULL,
    connection_id UUID NOT NULL,
    verdict       TEXT NOT NULL,
    facts         TEXT NOT NULL,
    updated_at    BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, connection_id)
);

-- The file that describes the provider of a connection, in the version that it is read
-- with: that in the folder may be a newer one, which is tried first. refused is one that
-- failed. used is what the last run used of the file, and what came of it.
CREATE TABLE connection_file (
    tenant_id     UUID NOT NULL,
    connection_id UUID NOT NULL,
    version       TEXT NOT NULL,
    text          TEXT NOT NULL,
    since         BIGINT NOT NULL,
    refused       TEXT,
    refused_at    BIGINT,
    reason        TEXT,
    used          TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (tenant_id, connection_id)
);

-- Addresses that providers may call with news of a connection. Of a token only its
-- SHA-256 is kept.
CREATE TABLE connection_inbound (
    tenant_id      UUID NOT NULL,
    connection_id  UUID NOT NULL,
    token_hash     BYTEA NOT NULL,
    created_at     BIGINT NOT NULL,
    last_notice_at BIGINT,
    PRIMARY KEY (tenant_id, connection_id)
);

CREATE TABLE device (
    tenant_id        UUID NOT NULL,
    id               UUID NOT NULL,
    connection_id    UUID NOT NULL,
    system_device_id TEXT NOT NULL,
    description      TEXT,
    registration     TEXT,
    make             TEXT,
    model            TEXT,
    year             BIGINT,
    active           BOOLEAN NOT NULL,
    tags             TEXT NOT NULL,
    edited           TEXT NOT NULL,
    seen_at          BIGINT NOT NULL DEFAULT 0,
    created_at       BIGINT NOT NULL,
    updated_at       BIGINT NOT NULL,
    change           BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, connection_id, system_device_id)
);
CREATE INDEX device_id ON device (id);
-- A summary counts all devices and takes off the inactive ones, which are few: it does
-- not look at each device.
CREATE INDEX device_inactive ON device (tenant_id) WHERE active = FALSE;

-- What is kept of a device between two batches of positions: its newest position, the
-- fold of its trips, when silence ends the trip under way, what its trips taught about
-- its pace, and what it does since when. silent_due is when to look whether it has fallen
-- silent; null once it has. Devices that report are counted by the hour of the newest
-- position: an index of its very time would move with each position that comes.
CREATE TABLE device_latest (
    tenant_id     UUID NOT NULL,
    device_id     UUID NOT NULL,
    position_time BIGINT NOT NULL,
    position      BYTEA NOT NULL, -- packed; empty where only trips are known
    reported_hour BIGINT NOT NULL DEFAULT 0,
    trip_state    BYTEA,
    trip_due      BIGINT,
    profile       TEXT,
    state         TEXT,
    state_since   BIGINT,
    silent_due    BIGINT,
    PRIMARY KEY (tenant_id, device_id)
);
CREATE INDEX device_latest_reported ON device_latest (tenant_id, reported_hour);
CREATE INDEX device_latest_due ON device_latest (tenant_id, trip_due);
CREATE INDEX device_latest_silent ON device_latest (silent_due) WHERE silent_due IS NOT NULL;

-- The drivers that a connection's provider lists. keys and tags are JSON; edited names what
-- the tenant has set itself. A driver who was erased has a pseudonym as the provider's id,
-- and nothing else of a person.
CREATE TABLE driver (
    tenant_id        UUID NOT NULL,
    id               UUID NOT NULL,
    connection_id    UUID NOT NULL,
    system_driver_id TEXT NOT NULL,
    name             TEXT,
    first_name       TEXT,
    last_name        TEXT,
    employee_number  TEXT,
    email            TEXT,
    phone            TEXT,
    licence_number   TEXT,
    licence_region   TEXT,
    keys             TEXT NOT NULL,
    active           BOOLEAN NOT NULL,
    tags             TEXT NOT NULL,
    edited           TEXT NOT NULL,
    seen_at          BIGINT NOT NULL DEFAULT 0,
    created_at       BIGINT NOT NULL,
    updated_at       BIGINT NOT NULL,
    change           BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, connection_id, system_driver_id)
);
CREATE INDEX driver_id ON driver (id);
CREATE INDEX driver_system ON driver (tenant_id, system_driver_id);

-- What providers state of who drove, each by what it is known by among those of the device. One
-- that goes on ends in the year 9999. Where a provider states changes, each ends with the next
-- one of the device, and one without a driver says that no one drove.
CREATE TABLE assignment (
    tenant_id     UUID NOT NULL,
    id            UUID NOT NULL,
    connection_id UUID NOT NULL,
    device_id     UUID NOT NULL,
    system_id     TEXT NOT NULL,
    driver_id     TEXT,
    method        TEXT NOT NULL,
    start_time    BIGINT NOT NULL,
    end_time      BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, device_id, system_id)
);
CREATE INDEX assignment_device ON assignment (tenant_id, device_id, end_time);
CREATE INDEX assignment_connection ON assignment (tenant_id, connection_id, end_time);
CREATE INDEX assignment_driver ON assignment (tenant_id, driver_id, end_time) WHERE driver_id IS NOT NULL;
CREATE INDEX assignment_end ON assignment (tenant_id, end_time);

-- What a device's instruments say, in one row, because it is read and written together: its
-- series, numbered from 1, each with the newest value that is believed (shown) and what the next
-- one is judged by (states). ids is a list as JSON with an id for each of them: those of one kind
-- and channel, of which the interface shows the best, have one. series is the highest number.
CREATE TABLE reading_series (
    tenant_id     UUID NOT NULL,
    device_id     UUID NOT NULL,
    connection_id UUID NOT NULL,
    series        BIGINT NOT NULL,
    ids           TEXT NOT NULL,
    shown         BYTEA NOT NULL,
    states        BYTEA NOT NULL,
    change        BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, device_id)
);
CREATE INDEX reading_series_connection ON reading_series (tenant_id, connection_id, device_id);

-- Faults that vehicles report, each from its beginning to its end. fault_key is what reports of
-- one fault have in common; silent_due is when a fault that no one reports is over, null where
-- the provider says that itself.
CREATE TABLE fault (
    tenant_id      UUID NOT NULL,
    id             UUID NOT NULL,
    connection_id  UUID NOT NULL,
    device_id      UUID NOT NULL,
    fault_key      TEXT NOT NULL,
    protocol       TEXT NOT NULL,
    code           TEXT NOT NULL,
    spn            BIGINT,
    fmi            BIGINT,
    source_address BIGINT,
    description    TEXT,
    severity       TEXT,
    lamps          TEXT NOT NULL,
    status         TEXT NOT NULL,
    first_seen_at  BIGINT NOT NULL,
    last_seen_at   BIGINT NOT NULL,
    closed_at      BIGINT,
    closed_by      TEXT,
    occurrences    BIGINT,
    silent_due     BIGINT,
    change         BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX fault_id ON fault (id);
CREATE INDEX fault_device ON fault (tenant_id, device_id, fault_key);
CREATE INDEX fault_connection ON fault (tenant_id, connection_id, device_id, last_seen_at);
CREATE INDEX fault_silent ON fault (tenant_id, connection_id, silent_due) WHERE silent_due IS NOT NULL;
CREATE INDEX fault_closed ON fault (tenant_id, closed_at) WHERE closed_at IS NOT NULL;

-- What providers report as dangerous driving. system_event_id is the provider's own id or,
-- where it has none, time and type.
CREATE TABLE safety_event (
    tenant_id       UUID NOT NULL,
    id              UUID NOT NULL,
    connection_id   UUID NOT NULL,
    device_id       UUID NOT NULL,
    system_event_id TEXT NOT NULL,
    type            TEXT NOT NULL,
    native_type     TEXT NOT NULL,
    driver_id       TEXT,
    start_time      BIGINT NOT NULL,
    end_time        BIGINT,
    latitude        DOUBLE PRECISION,
    longitude       DOUBLE PRECISION,
    heading         DOUBLE PRECISION,
    speed_kph       DOUBLE PRECISION,
    max_speed_kph   DOUBLE PRECISION,
    speed_limit_kph DOUBLE PRECISION,
    acceleration_g  DOUBLE PRECISION,
    lateral_g       DOUBLE PRECISION,
    severity        TEXT,
    status          TEXT NOT NULL,
    method          TEXT,
    media_available BOOLEAN,
    change          BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, device_id, system_event_id)
);
CREATE INDEX safety_event_id ON safety_event (id);
CREATE INDEX safety_event_connection ON safety_event (tenant_id, connection_id, type, start_time);
CREATE INDEX safety_event_time ON safety_event (tenant_id, start_time);
CREATE INDEX safety_event_driver ON safety_event (tenant_id, driver_id) WHERE driver_id IS NOT NULL;

-- What people have written down about a device or one of its trips.
CREATE TABLE note (
    tenant_id  UUID NOT NULL,
    id         UUID NOT NULL,
    device_id  UUID NOT NULL,
    trip_id    UUID,
    author     TEXT NOT NULL,
    author_id  TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    text       TEXT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX note_device ON note (tenant_id, device_id, id);
CREATE INDEX note_created ON note (tenant_id, created_at);

-- A judgement by a person goes before that of the rules. announced says whether an event
-- has announced the trip; why, as JSON, why a derived trip began and ended, null for a
-- vendor's own; parts, as JSON, how a trip over midnight is divided among its days. The
-- driver is the one that the vendor names, or, with driver_by_positions, the one that
-- most positions name, which further ones may change.
CREATE TABLE trip (
    tenant_id           UUID NOT NULL,
    id                  UUID NOT NULL,
    connection_id       UUID NOT NULL,
    device_id           UUID NOT NULL,
    system_trip_id      TEXT NOT NULL,
    start_latitude      DOUBLE PRECISION,
    start_longitude     DOUBLE PRECISION,
    end_latitude        DOUBLE PRECISION,
    end_longitude       DOUBLE PRECISION,
    start_time          BIGINT NOT NULL,
    end_time            BIGINT NOT NULL,
    distance_metres     DOUBLE PRECISION,
    duration_seconds    DOUBLE PRECISION NOT NULL,
    driving_seconds     DOUBLE PRECISION,
    idling_seconds      DOUBLE PRECISION,
    auxiliary_seconds   DOUBLE PRECISION,
    is_valid            BOOLEAN NOT NULL,
    validation_comments TEXT,
    judged_valid        BOOLEAN,
    judged_comment      TEXT,
    driver_id           TEXT,
    driver_by_positions BOOLEAN NOT NULL DEFAULT FALSE,
    announced           BOOLEAN NOT NULL DEFAULT TRUE,
    why                 TEXT,
    parts               TEXT,
    change              BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, device_id, system_trip_id)
);
CREATE INDEX trip_id ON trip (id);
CREATE INDEX trip_end ON trip (tenant_id, end_time);
-- The order of the list of trips: of all, of one connection, of one device, of one driver.
-- That of all is of an expression, which the list alone asks for: SQLite, which plans by
-- the text, would otherwise read the trips of all devices for those of one.
CREATE INDEX trip_time ON trip (tenant_id, (start_time + 0), id);
CREATE INDEX trip_connection_time ON trip (tenant_id, connection_id, start_time, id);
CREATE INDEX trip_device_time ON trip (tenant_id, device_id, start_time, id);
CREATE INDEX trip_driver_time ON trip (tenant_id, driver_id, start_time, id) WHERE driver_id IS NOT NULL;
-- The invalid trips in the order of the list: they may be few among millions. The
-- expression is another one than that of trip_time, because SQLite chooses between the two
-- by the text.
CREATE INDEX trip_invalid_time ON trip (tenant_id, (0 + start_time), id) WHERE is_valid = FALSE;
CREATE INDEX trip_connection_invalid_time ON trip (tenant_id, connection_id, (0 + start_time), id) WHERE is_valid = FALSE;

-- Stops: what happens between trips. parts is as that of a trip.
CREATE TABLE stop (
    tenant_id         UUID NOT NULL,
    id                UUID NOT NULL,
    connection_id     UUID NOT NULL,
    device_id         UUID NOT NULL,
    latitude          DOUBLE PRECISION,
    longitude         DOUBLE PRECISION,
    start_time        BIGINT NOT NULL,
    end_time          BIGINT NOT NULL,
    engine_on_seconds DOUBLE PRECISION,
    auxiliary_seconds DOUBLE PRECISION,
    parts             TEXT,
    unseen_until      BIGINT,
    unseen_metres     DOUBLE PRECISION,
    unseen_by         TEXT,
    change            BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX stop_device_time ON stop (tenant_id, device_id, start_time);
CREATE INDEX stop_time ON stop (tenant_id, start_time, id);

-- The stop of each device that no stored trip has ended yet: it goes on, or the trip
-- under way began at end_time. Its numbers are counted once that trip is stored.
CREATE TABLE open_stop (
    tenant_id     UUID NOT NULL,
    device_id     UUID NOT NULL,
    id            UUID NOT NULL,
    connection_id UUID NOT NULL,
    latitude      DOUBLE PRECISION,
    longitude     DOUBLE PRECISION,
    start_time    BIGINT NOT NULL,
    end_time      BIGINT,
    change        BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, device_id)
);
CREATE INDEX open_stop_time ON open_stop (tenant_id, start_time, id);

-- Sums, which the summaries read. Distances are millimetres and times milliseconds,
-- because sums of integers do not depend on their order. The columns *_known say how many
-- valid trips have each of the sums: a sum of none is not known. Days are numbered since
-- 1970.
CREATE TABLE trip_day (
    tenant_id       UUID NOT NULL,
    day             BIGINT NOT NULL,
    connection_id   UUID NOT NULL,
    trips           BIGINT NOT NULL,
    valid_trips     BIGINT NOT NULL,
    distance_mm     BIGINT NOT NULL,
    driving_ms      BIGINT NOT NULL,
    idling_ms       BIGINT NOT NULL,
    auxiliary_ms    BIGINT NOT NULL,
    distance_known  BIGINT NOT NULL DEFAULT 0,
    driving_known   BIGINT NOT NULL DEFAULT 0,
    idling_known    BIGINT NOT NULL DEFAULT 0,
    auxiliary_known BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, day, connection_id)
);

CREATE TABLE trip_total (
    tenant_id       UUID NOT NULL,
    connection_id   UUID NOT NULL,
    trips           BIGINT NOT NULL,
    valid_trips     BIGINT NOT NULL,
    distance_mm     BIGINT NOT NULL,
    driving_ms      BIGINT NOT NULL,
    idling_ms       BIGINT NOT NULL,
    auxiliary_ms    BIGINT NOT NULL,
    distance_known  BIGINT NOT NULL DEFAULT 0,
    driving_known   BIGINT NOT NULL DEFAULT 0,
    idling_known    BIGINT NOT NULL DEFAULT 0,
    auxiliary_known BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, connection_id)
);

CREATE TABLE stop_day (
    tenant_id     UUID NOT NULL,
    day           BIGINT NOT NULL,
    connection_id UUID NOT NULL,
    stops         BIGINT NOT NULL,
    duration_ms   BIGINT NOT NULL,
    engine_on_ms  BIGINT NOT NULL,
    auxiliary_ms  BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, day, connection_id)
);

-- What each device did on a day in the time zone that was in force. It follows from the
-- trips and stops, and changes with them.
CREATE TABLE device_day (
    tenant_id         UUID NOT NULL,
    device_id         UUID NOT NULL,
    day               BIGINT NOT NULL,
    trips             BIGINT NOT NULL,
    valid_trips       BIGINT NOT NULL,
    distance_mm       BIGINT NOT NULL,
    driving_ms        BIGINT NOT NULL,
    idling_ms         BIGINT NOT NULL,
    auxiliary_ms      BIGINT NOT NULL,
    stops             BIGINT NOT NULL,
    stopped_ms        BIGINT NOT NULL,
    stop_engine_ms    BIGINT NOT NULL,
    stop_auxiliary_ms BIGINT NOT NULL,
    unseen_mm         BIGINT NOT NULL,
    first_start       BIGINT,
    last_end          BIGINT,
    PRIMARY KEY (tenant_id, device_id, day)
);

-- due_at is when the milestone is next looked at, whatever its positions do: its silence,
-- its deadline, its next prediction. Null where there is nothing to wait for. A process
-- that claims it moves due_at on, so that others pass it over for a while. arrived_at is
-- when the device arrived; null before, and where the deadline ended the journey. The device
-- may be another tenant's: connection_id is the device's, by which it is shared.
CREATE TABLE milestone (
    tenant_id             UUID NOT NULL,
    id                    UUID NOT NULL,
    device_tenant_id      UUID NOT NULL,
    device_id             UUID NOT NULL,
    connection_id         UUID,
    start_latitude        DOUBLE PRECISION NOT NULL,
    start_longitude       DOUBLE PRECISION NOT NULL,
    end_latitude          DOUBLE PRECISION NOT NULL,
    end_longitude         DOUBLE PRECISION NOT NULL,
    radius_metres         DOUBLE PRECISION,
    reference             TEXT,
    metadata              TEXT,
    start_time            BIGINT NOT NULL,
    end_time              BIGINT,
    created_at            BIGINT NOT NULL,
    updated_at            BIGINT NOT NULL,
    status                TEXT NOT NULL,
    state                 TEXT NOT NULL,
    due_at                BIGINT,
    arrived_at            BIGINT,
    webhook_url           TEXT,
    webhook_enabled       BOOLEAN NOT NULL,
    webhook_error_count   BIGINT NOT NULL DEFAULT 0,
    last_webhook_error    TEXT,
    last_webhook_error_at BIGINT,
    webhook_failing_since BIGINT,
    change                BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX milestone_id ON milestone (id);
CREATE INDEX milestone_device ON milestone (device_tenant_id, device_id, status);
CREATE INDEX milestone_status ON milestone (tenant_id, status);
CREATE INDEX milestone_due ON milestone (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX milestone_arrived ON milestone (arrived_at) WHERE arrived_at IS NOT NULL;
-- Milestones that hear of their device's positions.
CREATE INDEX milestone_webhook ON milestone (tenant_id, device_id) WHERE webhook_enabled = TRUE AND status <> 'trip_ended';

-- Copies: what changed since when. A record's change is the number of the transaction that
-- changed what the interface shows of it last; triggers of 00002 set it, so no statement
-- can forget to; that of readings the only statement that changes them sets. What was
-- deleted leaves a row here until it is older than any cursor that is still answered.
-- change_mark says which number was reached at a time: the oldest one is the horizon.
-- change_clock holds the number that SQLite counts up, and names the numbers: those of a
-- database that was restored are others.
CREATE TABLE deleted_record (
    tenant_id     UUID NOT NULL,
    kind          TEXT NOT NULL,
    change        BIGINT NOT NULL,
    id            UUID NOT NULL,
    connection_id UUID NOT NULL,
    deleted_at    BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, kind, change, id)
);
CREATE INDEX deleted_record_change ON deleted_record (change);

CREATE TABLE change_mark (
    at     BIGINT PRIMARY KEY,
    number BIGINT NOT NULL
);
INSERT INTO change_mark (at, number) VALUES (0, 0);

CREATE TABLE change_clock (
    one    SMALLINT PRIMARY KEY,
    number BIGINT NOT NULL,
    epoch  TEXT NOT NULL
);

CREATE INDEX connection_change ON connection (tenant_id, change, id);
CREATE INDEX device_change ON device (tenant_id, change, id);
CREATE INDEX trip_change ON trip (tenant_id, change, id);
CREATE INDEX stop_change ON stop (tenant_id, change, id);
CREATE INDEX open_stop_change ON open_stop (tenant_id, change, id);
CREATE INDEX milestone_change ON milestone (tenant_id, change, id);
CREATE INDEX fault_change ON fault (tenant_id, change, id);
CREATE INDEX driver_change ON driver (tenant_id, change, id);
CREATE INDEX safety_event_change ON safety_event (tenant_id, change, id);

-- What was predicted of arrivals, to be held against what came true: the range, and what
-- a router said, are null where they are not known.
CREATE TABLE eta_prediction (
    tenant_id     UUID NOT NULL,
    milestone_id  UUID NOT NULL,
    time          BIGINT NOT NULL,
    eta           BIGINT NOT NULL,
    distance_km   DOUBLE PRECISION NOT NULL,
    p10           BIGINT,
    p90           BIGINT,
    route_seconds DOUBLE PRECISION,
    PRIMARY KEY (tenant_id, milestone_id, time)
);

-- What is kept of finished journeys, to predict others: the newest of each device. A trip
-- and a milestone are journeys of different kinds.
CREATE TABLE journey (
    tenant_id     UUID NOT NULL,
    device_id     UUID NOT NULL,
    kind          TEXT NOT NULL,
    started_at    BIGINT NOT NULL,
    connection_id UUID NOT NULL,
    journey       TEXT NOT NULL,
    PRIMARY KEY (tenant_id, device_id, kind, started_at)
);
CREATE INDEX journey_connection ON journey (tenant_id, connection_id, kind, started_at);
CREATE INDEX journey_tenant ON journey (tenant_id, kind, started_at);

-- failing_since is since when no attempt has succeeded; null while the last one did.
CREATE TABLE webhook (
    tenant_id     UUID NOT NULL,
    id            UUID NOT NULL,
    url           TEXT NOT NULL,
    enabled       BOOLEAN NOT NULL,
    error_count   BIGINT NOT NULL DEFAULT 0,
    last_error    TEXT,
    last_error_at BIGINT,
    failing_since BIGINT,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    filters       TEXT NOT NULL,
    options       TEXT NOT NULL,
    secrets       BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX webhook_id ON webhook (id);

-- The secret that signs what is sent to milestones' own webhooks.
CREATE TABLE webhook_secret (
    tenant_id UUID PRIMARY KEY,
    id        UUID NOT NULL,
    secrets   BYTEA NOT NULL
);
CREATE INDEX webhook_secret_id ON webhook_secret (id);

-- ---------------------------------------------------------------------------------------
-- Work: what is collected, events, what is sent between tenants and to receivers, and
-- tasks in the background.
-- ---------------------------------------------------------------------------------------

-- One row for each connection, claimed as a whole by one process at a time, because
-- vendors bound the calls of an account. scheduled_at is when due_at was set, by the same
-- clock: what was set in the future was set before the clock was put back. woken says that
-- the connection is to be read although it was held. The columns push_* are of what the
-- vendor sends over an open connection: under which claim it was opened last, when it was
-- opened or ended, and what it ended with. It is open for as long as that claim stands, so
-- that the push of a process that died is over when its lease is.
CREATE TABLE collection (
    tenant_id     UUID NOT NULL,
    connection_id UUID NOT NULL,
    due_at        BIGINT NOT NULL,
    scheduled_at  BIGINT NOT NULL DEFAULT 0,
    woken         BOOLEAN NOT NULL DEFAULT FALSE,
    leased_until  BIGINT NOT NULL DEFAULT 0,
    leased_by     TEXT NOT NULL DEFAULT '',
    push_owner    TEXT NOT NULL DEFAULT '',
    push_since    BIGINT,
    push_message  TEXT,
    PRIMARY KEY (tenant_id, connection_id)
);
CREATE INDEX collection_due ON collection (due_at);

-- The jobs of a connection: devices, positions and trips as they come, and backfills,
-- which read a window from its newest end. requested says that a caller asked for the
-- backfill: those that come with a connection do not count towards the limit.
CREATE TABLE job (
    tenant_id          UUID NOT NULL,
    connection_id      UUID NOT NULL,
    id                 UUID NOT NULL,
    kind               TEXT NOT NULL,
    backfill           BOOLEAN NOT NULL,
    requested          BOOLEAN NOT NULL DEFAULT FALSE,
    state              TEXT NOT NULL,
    cursor             TEXT NOT NULL,
    window_from        BIGINT NOT NULL,
    window_to          BIGINT,
    remaining_to       BIGINT,
    due_at             BIGINT NOT NULL,
    records            BIGINT NOT NULL DEFAULT 0,
    created_at         BIGINT NOT NULL,
    last_run_at        BIGINT,
    last_success_at    BIGINT,
    consecutive_errors BIGINT NOT NULL DEFAULT 0,
    last_error         TEXT,
    last_error_kind    TEXT,
    last_error_at      BIGINT,
    PRIMARY KEY (tenant_id, connection_id, id)
);

-- How the runs of a connection's jobs went, by the hour since 1970. Hours of more than two
-- days ago are forgotten.
CREATE TABLE job_hour (
    tenant_id     UUID NOT NULL,
    connection_id UUID NOT NULL,
    kind          TEXT NOT NULL,
    hour          BIGINT NOT NULL,
    runs          BIGINT NOT NULL,
    failures      BIGINT NOT NULL,
    records       BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, connection_id, kind, hour)
);
CREATE INDEX job_hour_age ON job_hour (hour);

-- The feed. The row of a tenant is locked while events are appended, so that they become
-- visible in the order of their numbers. receivers is the version of the tenant's webhooks
-- as matching knows them: a text that was never there before, with each change; what is
-- remembered for a version is true because the row is locked. Events about positions are
-- kept for a shorter time than others: there are none up to positions_after, and up to
-- blocks_to they lie in blocks. messages is how many the tenant has sent.
CREATE TABLE event_sequence (
    tenant_id       UUID PRIMARY KEY,
    last            BIGINT NOT NULL,
    receivers       TEXT NOT NULL DEFAULT '',
    positions_after BIGINT NOT NULL DEFAULT 0,
    blocks_to       BIGINT NOT NULL DEFAULT 0,
    messages        BIGINT NOT NULL DEFAULT 0
);

-- The data of an event is text, or packed, or in the block that begins with the number
-- block; data is empty where it is packed or in a block.
CREATE TABLE event (
    tenant_id     UUID NOT NULL,
    sequence      BIGINT NOT NULL,
    id            UUID NOT NULL,
    type          TEXT NOT NULL,
    time          BIGINT NOT NULL,
    connection_id UUID,
    device_id     UUID,
    milestone_id  UUID,
    data          TEXT NOT NULL,
    packed        BYTEA,
    block         BIGINT,
    PRIMARY KEY (tenant_id, sequence)
);
CREATE INDEX event_milestone ON event (tenant_id, milestone_id, sequence) WHERE milestone_id IS NOT NULL;

-- The data of old events about positions, packed: many of one connection in a block.
CREATE TABLE event_block (
    tenant_id     UUID NOT NULL,
    first         BIGINT NOT NULL,
    last          BIGINT NOT NULL,
    connection_id UUID NOT NULL,
    data          BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, first)
);

CREATE TABLE event_day (
    tenant_id UUID NOT NULL,
    day       BIGINT NOT NULL,
    type      TEXT NOT NULL,
    events    BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, day, type)
);

-- Events of a tenant that are to be appended to the feed of another, with whom their
-- connection is shared: where they lie in the owner's feed, and what each is about. A row
-- is written with the events, and goes once they are appended.
CREATE TABLE outbox (
    tenant_id      UUID NOT NULL,
    recipient_id   UUID NOT NULL,
    first_sequence BIGINT NOT NULL,
    last_sequence  BIGINT NOT NULL,
    connection_id  UUID NOT NULL,
    subjects       TEXT NOT NULL,
    PRIMARY KEY (tenant_id, recipient_id, first_sequence)
);

-- What the transaction of one tenant leaves for another: positions of a shared device that
-- milestones are to be judged by, and journeys that teach. A row is written with what
-- caused it, and goes once its recipient has taken it. after_sequence is where the feed of
-- its sender ended: the events up to it are taken first.
CREATE TABLE message (
    tenant_id      UUID NOT NULL,
    recipient_id   UUID NOT NULL,
    number         BIGINT NOT NULL,
    after_sequence BIGINT NOT NULL,
    kind           TEXT NOT NULL,
    content        TEXT NOT NULL,
    PRIMARY KEY (tenant_id, recipient_id, number)
);

-- How far a tenant has taken over the events and messages of another.
CREATE TABLE inbox (
    tenant_id UUID NOT NULL,
    owner_id  UUID NOT NULL,
    sequence  BIGINT NOT NULL,
    message   BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, owner_id)
);
CREATE INDEX inbox_owner ON inbox (owner_id);

-- What is sent to whom. A target is a webhook, or a milestone with a webhook of its own.
-- The body is rendered from the event when it is sent; what depends on the target's
-- filters and options at the time of the event is kept here.
CREATE TABLE delivery (
    tenant_id     UUID NOT NULL,
    target_id     UUID NOT NULL,
    event_id      UUID NOT NULL,
    kind          TEXT NOT NULL,
    sequence      BIGINT NOT NULL,
    type          TEXT NOT NULL,
    state         TEXT NOT NULL,
    connection_id UUID,
    device_id     UUID,
    devices       TEXT,
    kinds         TEXT,
    speed         BOOLEAN NOT NULL,
    driver        BOOLEAN NOT NULL,
    url           TEXT,
    body          TEXT,
    created_at    BIGINT NOT NULL,
    due_at        BIGINT NOT NULL,
    attempts      BIGINT NOT NULL DEFAULT 0,
    tries         BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, target_id, event_id)
);
-- What waits is read target by target, the longest due first.
CREATE INDEX delivery_due ON delivery (tenant_id, target_id, due_at, sequence) WHERE state = 'pending';
CREATE INDEX delivery_position ON delivery (tenant_id, target_id, created_at) WHERE state = 'pending' AND type = 'position.updated';
-- Deliveries are listed over all targets of a tenant, newest event first.
CREATE INDEX delivery_event ON delivery (tenant_id, event_id, target_id);

-- The log of attempts.
CREATE TABLE attempt (
    tenant_id   UUID NOT NULL,
    target_id   UUID NOT NULL,
    event_id    UUID NOT NULL,
    number      BIGINT NOT NULL,
    time        BIGINT NOT NULL,
    status      BIGINT,
    duration_ms BIGINT NOT NULL,
    error       TEXT,
    response    TEXT,
    PRIMARY KEY (tenant_id, target_id, event_id, number)
);

-- Who sends to a target: one process at a time, so that the order is kept. wait_until is
-- until when the receiver has asked not to be called, waited_at when that was noted: one
-- that lies ahead was noted by a clock that has been put right since, and does not hold.
-- No delivery waits that is due before due_at, and none where it is null: what is sent leaves
-- it alone, and the one who gives the target back sets it to the first that waits.
CREATE TABLE delivery_target (
    tenant_id    UUID NOT NULL,
    target_id    UUID NOT NULL,
    due_at       BIGINT,
    leased_until BIGINT NOT NULL DEFAULT 0,
    leased_by    TEXT NOT NULL DEFAULT '',
    wait_until   BIGINT NOT NULL DEFAULT 0,
    waited_at    BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, target_id)
);
CREATE INDEX delivery_target_due ON delivery_target (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX delivery_target_lease ON delivery_target (leased_by) WHERE leased_until > 0;

-- Tasks that derive the trips of a window again, or, of the kind days, sum up its days,
-- device by device in the order of their ids. After device_after, all of that device is
-- done up to reached. The process that works on one moves due_at on, so that others leave
-- it alone; null once it is over.
CREATE TABLE recompute (
    tenant_id     UUID NOT NULL,
    id            UUID NOT NULL,
    kind          TEXT NOT NULL DEFAULT 'trips',
    state         TEXT NOT NULL,
    window_from   BIGINT NOT NULL,
    window_to     BIGINT NOT NULL,
    connection_id UUID,
    device_id     UUID,
    notify        BOOLEAN NOT NULL,
    devices_total BIGINT NOT NULL,
    devices_done  BIGINT NOT NULL,
    device_after  UUID,
    reached       BIGINT,
    trips_added   BIGINT NOT NULL,
    trips_changed BIGINT NOT NULL,
    trips_removed BIGINT NOT NULL,
    attempts      BIGINT NOT NULL,
    error         TEXT,
    due_at        BIGINT,
    created_at    BIGINT NOT NULL,
    started_at    BIGINT,
    finished_at   BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX recompute_id ON recompute (id);
CREATE INDEX recompute_due ON recompute (due_at) WHERE due_at IS NOT NULL;

-- Files of records that are made in the background. leased_by is the attempt that writes
-- one until leased_until; file names the attempt whose file is whole, so that what another
-- attempt left behind is never served.
CREATE TABLE export (
    tenant_id    UUID NOT NULL,
    id           UUID NOT NULL,
    kind         TEXT NOT NULL,
    format       TEXT NOT NULL,
    filters      TEXT NOT NULL,
    state        TEXT NOT NULL,
    progress     DOUBLE PRECISION NOT NULL,
    records      BIGINT NOT NULL,
    bytes        BIGINT NOT NULL,
    error        TEXT,
    created_at   BIGINT NOT NULL,
    started_at   BIGINT,
    finished_at  BIGINT,
    expires_at   BIGINT,
    attempts     BIGINT NOT NULL DEFAULT 0,
    file         TEXT NOT NULL DEFAULT '',
    shares       TEXT NOT NULL DEFAULT '[]',
    leased_by    TEXT NOT NULL DEFAULT '',
    leased_until BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX export_id ON export (id);
CREATE INDEX export_waiting ON export (tenant_id, created_at) WHERE state IN ('queued', 'running');
CREATE INDEX export_age ON export (expires_at) WHERE expires_at IS NOT NULL;

-- The files where several processes share a database, in pieces of one size but for the
-- last. An embedded database keeps them in the data folder.
CREATE TABLE export_chunk (
    tenant_id UUID NOT NULL,
    export_id UUID NOT NULL,
    file      TEXT NOT NULL,
    number    BIGINT NOT NULL,
    content   BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, export_id, file, number)
);

-- Connections whose data is being erased. The process that works on one moves due_at on,
-- so that others leave it alone. Events up to event_to go, of which those up to
-- event_after have gone.
CREATE TABLE purge (
    tenant_id     UUID NOT NULL,
    connection_id UUID NOT NULL,
    due_at        BIGINT NOT NULL,
    event_after   BIGINT NOT NULL,
    event_to      BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, connection_id)
);
CREATE INDEX purge_due ON purge (due_at);

-- Drivers who are being replaced by a pseudonym, as connections are erased. The driver is
-- forgotten when it is done. clean_at is when nothing named it: what was under way then may
-- have, so that it is looked for once more.
CREATE TABLE driver_erasure (
    tenant_id   UUID NOT NULL,
    id          UUID NOT NULL,
    driver_id   TEXT,
    pseudonym   TEXT NOT NULL,
    state       TEXT NOT NULL,
    trips       BIGINT NOT NULL DEFAULT 0,
    positions   BIGINT NOT NULL DEFAULT 0,
    events      BIGINT NOT NULL DEFAULT 0,
    due_at      BIGINT,
    clean_at    BIGINT,
    created_at  BIGINT NOT NULL,
    finished_at BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX driver_erasure_id ON driver_erasure (id);
CREATE INDEX driver_erasure_due ON driver_erasure (due_at) WHERE due_at IS NOT NULL;

-- ---------------------------------------------------------------------------------------
-- History: stored positions by time. Those that are not packed yet are in 00002.
-- ---------------------------------------------------------------------------------------

-- Settled positions, packed: one row for a device's day, or for a part of a large one.
CREATE TABLE position_block (
    tenant_id UUID NOT NULL,
    device_id UUID NOT NULL,
    first     BIGINT NOT NULL,
    last      BIGINT NOT NULL,
    rows      BIGINT NOT NULL,
    data      BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, device_id, first)
);
CREATE INDEX position_block_first ON position_block (tenant_id, first);

-- Settled readings, packed: one row for a day (UTC, counted from 1970) of a device.
CREATE TABLE reading_block (
    tenant_id UUID NOT NULL,
    device_id UUID NOT NULL,
    day       BIGINT NOT NULL,
    readings  BIGINT NOT NULL,
    data      BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, device_id, day)
);

-- One row: nothing of this time or later is packed.
CREATE TABLE packed_before (
    id    BIGINT PRIMARY KEY CHECK (id = 1),
    time  BIGINT NOT NULL,
    since BIGINT NOT NULL
);
INSERT INTO packed_before (id, time, since) VALUES (1, -9000000000000000, 0);

-- When the packed positions of a tenant's day last changed: what is made of a day, such as
-- a file, is made again where it is older.
CREATE TABLE packed_day (
    tenant_id  UUID NOT NULL,
    day        BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, day)
);

-- Where the vehicles of a connection have driven in a week since 1970: the cells of a square
-- of the world, packed, and a sum of them. Squares within another follow each other by their
-- number.
CREATE TABLE road (
    tenant_id     UUID NOT NULL,
    square        BIGINT NOT NULL,
    connection_id UUID NOT NULL,
    week          BIGINT NOT NULL,
    sum           BIGINT NOT NULL,
    cells         BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, square, connection_id, week)
);
-- What a tile is made of is known without reading the cells.
CREATE INDEX road_content ON road (tenant_id, square, week, connection_id, sum);
CREATE INDEX road_connection ON road (tenant_id, connection_id);
CREATE INDEX road_week ON road (tenant_id, week);

-- Up to which change the trips of a tenant are drawn as roads.
CREATE TABLE road_place (
    tenant_id UUID PRIMARY KEY REFERENCES tenant (id),
    epoch     TEXT NOT NULL,
    change    BIGINT NOT NULL,
    trip_id   UUID NOT NULL
);
