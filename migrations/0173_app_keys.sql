-- Products whose license keys an app makes, once an order misses some.
alter table downloads_settings add column key_product_ids uuid[] not null default '{}';
