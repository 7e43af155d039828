INSERT INTO product (id, name, stock, version)
	SELECT 1, 'Concert ticket', 5000, 0 WHERE NOT EXISTS (SELECT 1 FROM product WHERE id = 1);

INSERT INTO product_price (product_id, channel, amount)
	SELECT 1, 'shop', 100 WHERE NOT EXISTS (SELECT 1 FROM product_price WHERE product_id = 1 AND channel = 'shop');
INSERT INTO product_price (product_id, channel, amount)
	SELECT 1, 'web', 100 WHERE NOT EXISTS (SELECT 1 FROM product_price WHERE product_id = 1 AND channel = 'web');
