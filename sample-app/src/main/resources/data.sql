INSERT INTO product (id, name, stock, version)
	SELECT 1, 'Concert ticket', 5000, 0 WHERE NOT EXISTS (SELECT 1 FROM product WHERE id = 1);
