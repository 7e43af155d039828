-- The floor: rows that are taken and released without any condition
CREATE TABLE IF NOT EXISTS raw_lock (
    lock_key VARCHAR(255) NOT NULL PRIMARY KEY,
    owner    VARCHAR(255)
) ENGINE=InnoDB;

-- As in Spring Integration's schema-mysql.sql
CREATE TABLE IF NOT EXISTS INT_LOCK (
    LOCK_KEY CHAR(36) NOT NULL,
    REGION VARCHAR(100) NOT NULL,
    CLIENT_ID CHAR(36),
    CREATED_DATE DATETIME(6) NOT NULL,
    EXPIRED_AFTER DATETIME(6) NOT NULL,
    CONSTRAINT INT_LOCK_PK PRIMARY KEY (LOCK_KEY, REGION)
) ENGINE=InnoDB;

-- As in the documentation of ShedLock
CREATE TABLE IF NOT EXISTS shedlock (
    name VARCHAR(64) NOT NULL,
    lock_until TIMESTAMP(3) NOT NULL,
    locked_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    locked_by VARCHAR(255) NOT NULL,
    PRIMARY KEY (name)
);
