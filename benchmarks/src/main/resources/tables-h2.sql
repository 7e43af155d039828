-- The floor: rows that are taken and released without any condition
CREATE TABLE IF NOT EXISTS raw_lock (
    lock_key VARCHAR(255) NOT NULL PRIMARY KEY,
    owner    VARCHAR(255)
);

-- As in Spring Integration's schema-h2.sql
CREATE TABLE IF NOT EXISTS INT_LOCK (
    LOCK_KEY CHAR(36) NOT NULL,
    REGION VARCHAR(100) NOT NULL,
    CLIENT_ID CHAR(36),
    CREATED_DATE TIMESTAMP NOT NULL,
    EXPIRED_AFTER TIMESTAMP NOT NULL,
    CONSTRAINT INT_LOCK_PK PRIMARY KEY (LOCK_KEY, REGION)
);

-- As in the documentation of ShedLock
CREATE TABLE IF NOT EXISTS shedlock (
    name VARCHAR(64) NOT NULL PRIMARY KEY,
    lock_until TIMESTAMP(3) NOT NULL,
    locked_at TIMESTAMP(3) NOT NULL,
    locked_by VARCHAR(255) NOT NULL
);
