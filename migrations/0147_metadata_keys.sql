-- concurrently
-- Lists are filtered by a key and its text. Records without metadata are in none of these.
create index products_metadata on products using gin (store_metadata(store_id, metadata)) where metadata <> '{}';
create index categories_metadata on categories using gin (store_metadata(store_id, metadata)) where metadata <> '{}';
create index collections_metadata on collections using gin (store_metadata(store_id, metadata)) where metadata <> '{}';
create index customers_metadata on customers using gin (store_metadata(store_id, metadata)) where metadata <> '{}';
create index discounts_metadata on discounts using gin (store_metadata(store_id, metadata)) where metadata <> '{}';
create index orders_metadata on orders using gin (store_metadata(store_id, metadata)) where metadata <> '{}';
create index draft_orders_metadata on draft_orders using gin (store_metadata(store_id, metadata)) where metadata <> '{}';
create index returns_metadata on returns using gin (store_metadata(store_id, metadata)) where metadata <> '{}';
create index webhooks_metadata on webhooks using gin (store_metadata(store_id, metadata)) where metadata <> '{}';
