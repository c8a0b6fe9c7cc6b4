-- concurrently
-- Items with such a day, which are few.
create index products_available on products (store_id, available_on, id) where available_on is not null;
create index variants_available on variants (store_id, available_on, product_id) where available_on is not null;
