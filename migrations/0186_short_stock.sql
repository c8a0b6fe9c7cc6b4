-- concurrently
-- Items whose stock is below zero, which are few: what is owed is found from them.
create index products_short on products (store_id, id) where stock_quantity < 0;
create index variants_short on variants (store_id, product_id, id) where stock_quantity < 0;
