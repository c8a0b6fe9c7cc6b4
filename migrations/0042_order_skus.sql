-- The latest orders with a SKU.
create index order_items_sku on order_items (store_id, lower(sku), order_id) where sku is not null;
