CREATE TABLE IF NOT EXISTS product (
	id BIGINT PRIMARY KEY,
	name VARCHAR(100) NOT NULL,
	stock INT NOT NULL,
	version INT NOT NULL,
	fence BIGINT DEFAULT 0 NOT NULL
);

CREATE TABLE IF NOT EXISTS sale (
	order_id VARCHAR(36) PRIMARY KEY,
	product_id BIGINT NOT NULL
);

CREATE INDEX IF NOT EXISTS sale_product ON sale (product_id);

CREATE TABLE IF NOT EXISTS reminder (
	customer_id BIGINT NOT NULL,
	at_hour BIGINT NOT NULL,
	instance VARCHAR(100) NOT NULL
);

CREATE TABLE IF NOT EXISTS product_price (
	product_id BIGINT NOT NULL,
	channel VARCHAR(10) NOT NULL,
	amount INT NOT NULL,
	fence BIGINT DEFAULT 0 NOT NULL,
	PRIMARY KEY (product_id, channel)
);
