-- One row per key that was ever locked; it stays after the release, so that the token never goes back.
-- Who deletes a row must be sure that its token is older than any statement can be, because an acquiring statement
-- that began before may insert the row again with the time of its beginning: an hour is safe.
-- Until expires_at the key belongs to the owner. Later modes need no other columns here: a group of shared
-- leases or permits will be one owner of this row, with its members in a table of their own; so will a queue.
CREATE TABLE IF NOT EXISTS @@table@@ (
    lock_key    VARBINARY(1024) NOT NULL PRIMARY KEY, -- the key in UTF-8
    owner       VARCHAR(64),                          -- who holds it, unique per acquisition; NULL after a release
    token       BIGINT NOT NULL,                      -- the last fencing token that was given out, never less than before
    expires_at  BIGINT NOT NULL,                      -- microseconds since 1970 by the clock of the database
    holder      VARCHAR(255),                         -- process and host of the owner, for people to read
    held_since  TIMESTAMP(6) WITH TIME ZONE           -- when it was granted, for people to read
)
