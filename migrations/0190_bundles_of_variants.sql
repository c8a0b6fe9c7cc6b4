-- concurrently
create index variants_bundles on variants (store_id, product_id) where bundle_items is not null;
