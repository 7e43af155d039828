INSERT INTO product (id, name, stock, version)
	SELECT 1, 'Concert ticket', 5000, 0 WHERE NOT EXISTS (SELECT 1 FROM product WHERE id = 1);

INSERT INTO price (channel, amount)
	SELECT 'shop', 100 WHERE NOT EXISTS (SELECT 1 FROM price WHERE channel = 'shop');
INSERT INTO price (channel, amount)
	SELECT 'web', 100 WHERE NOT EXISTS (SELECT 1 FROM price WHERE channel = 'web');
