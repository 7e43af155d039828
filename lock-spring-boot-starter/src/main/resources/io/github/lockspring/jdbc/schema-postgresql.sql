-- One row per key that was ever locked. It stays after the release, so that the token never goes back.
-- A row must not be deleted unless its token is older than any statement can be, because an acquiring statement
-- that began before may insert the row again with the time of its beginning: an hour is safe.
-- Until expires_at the key belongs to the owner, until shared_until to the holders among the entries.
CREATE TABLE IF NOT EXISTS @@table@@ (
    lock_key      BYTEA NOT NULL PRIMARY KEY, -- the key in UTF-8
    owner         VARCHAR(64),                -- who holds it alone, unique per acquisition, NULL if free
    token         BIGINT NOT NULL,            -- the last fencing token that was given out, never less than before
    expires_at    BIGINT NOT NULL,            -- microseconds since 1970 by the clock of the database
    holder        VARCHAR(255),               -- process and host of the owner, for people to read
    held_since    TIMESTAMPTZ,                -- since when it is held, for people to read
    version       BIGINT DEFAULT 0 NOT NULL,  -- another one with every change
    shared_until  BIGINT DEFAULT 0 NOT NULL,  -- when the last of the shared leases and permits ends
    entries       TEXT,                       -- shared leases, permits, and the queue of fair requests, by lines
    waiting       VARCHAR(2000),              -- the owners of other requests that wait, in their order
    awaited_until BIGINT DEFAULT 0 NOT NULL   -- until when a release notifies waiting processes
);

-- One row per value. Of a deleted value the row remains for a while, so that its version never goes back and an update
-- that is repeated is recognized. Rows of deleted values may be removed when they have not been changed for an hour.
CREATE TABLE IF NOT EXISTS @@values@@ (
    value_key     BYTEA NOT NULL PRIMARY KEY,  -- the key in UTF-8
    number        BIGINT,                      -- the number, NULL if the value was deleted
    version       BIGINT NOT NULL,             -- another one with every change, never less than before: microseconds since 1970
    format        SMALLINT DEFAULT 1 NOT NULL, -- how the row is to be read
    updates       TEXT DEFAULT '' NOT NULL,    -- the last update of each process, by lines, the newest first
    watched_until BIGINT DEFAULT 0 NOT NULL    -- until when a change notifies watching processes
)
