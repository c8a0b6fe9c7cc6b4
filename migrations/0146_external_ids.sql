-- concurrently
-- A record is found by the ID that another system has for it, which is unique among the records of its kind.
create unique index products_external_id on products (store_id, external_id) where external_id is not null;
create unique index variants_external_id on variants (store_id, external_id) where external_id is not null;
create unique index categories_external_id on categories (store_id, external_id) where external_id is not null;
create unique index collections_external_id on collections (store_id, external_id) where external_id is not null;
create unique index customers_external_id on customers (store_id, external_id) where external_id is not null;
create unique index discounts_external_id on discounts (store_id, external_id) where external_id is not null;
create unique index orders_external_id on orders (store_id, external_id) where external_id is not null;
create unique index order_items_external_id on order_items (store_id, external_id) where external_id is not null;
create unique index draft_orders_external_id on draft_orders (store_id, external_id) where external_id is not null;
create unique index returns_external_id on returns (store_id, external_id) where external_id is not null;
create unique index webhooks_external_id on webhooks (store_id, external_id) where external_id is not null;
