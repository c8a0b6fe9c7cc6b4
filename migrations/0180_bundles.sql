-- concurrently
create index products_bundles on products (store_id, id) where bundle_items is not null;
