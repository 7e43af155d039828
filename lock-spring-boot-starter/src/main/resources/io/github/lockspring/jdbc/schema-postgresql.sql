-- One row per key that was ever locked. The row remains after the release, so that the token never decreases.
-- A row must not be deleted unless its token is older than any running statement (an hour is safe), because an
-- acquiring statement that began earlier may insert the row again with the time of its beginning.
-- The key is held by the owner until expires_at, and by the holders among the entries until shared_until.
CREATE TABLE IF NOT EXISTS @@table@@ (
    lock_key      BYTEA NOT NULL PRIMARY KEY, -- the key in UTF-8
    owner         VARCHAR(64),                -- exclusive owner, unique per acquisition, NULL if free
    token         BIGINT NOT NULL,            -- the last fencing token that was issued, never decreases
    expires_at    BIGINT NOT NULL,            -- microseconds since 1970 by the clock of the database
    holder        VARCHAR(255),               -- process and host of the owner, for display
    held_since    TIMESTAMPTZ,                -- time of the acquisition, for display
    version       BIGINT DEFAULT 0 NOT NULL,  -- changed by every update
    shared_until  BIGINT DEFAULT 0 NOT NULL,  -- end of the last shared lease or permit
    entries       TEXT,                       -- shared leases, permits, and the queue of fair requests, one per line
    waiting       VARCHAR(2000),              -- owners of the other waiting requests, in order
    awaited_until BIGINT DEFAULT 0 NOT NULL   -- time until which a release notifies waiting processes, negative when it has
);

-- One row per value. The row of a deleted or expired value remains for a while, so that its version never decreases and a
-- repeated update is recognized. Such rows may be removed an hour after the last change and the end of the time to live.
CREATE TABLE IF NOT EXISTS @@values@@ (
    value_key     BYTEA NOT NULL PRIMARY KEY,  -- the key in UTF-8
    number        BIGINT,                      -- the number, NULL if the value was deleted
    version       BIGINT NOT NULL,             -- changed by every update, never decreases: microseconds since 1970
    format        SMALLINT DEFAULT 1 NOT NULL, -- format version of the row
    updates       TEXT DEFAULT '' NOT NULL,    -- the last update of each process, one per line, the newest first
    expires_at    BIGINT DEFAULT 0 NOT NULL,   -- end of the time to live in microseconds since 1970, 0 if the value remains
    watched_until BIGINT DEFAULT 0 NOT NULL    -- time until which a change notifies watching processes
)
