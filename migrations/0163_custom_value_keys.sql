-- concurrently
-- Records without custom fields are in none of these.
create index products_custom_fields on products using gin (store_custom_fields(store_id, custom_fields)) where custom_fields <> '{}';
create index variants_custom_fields on variants using gin (store_custom_fields(store_id, custom_fields)) where custom_fields <> '{}';
create index customers_custom_fields on customers using gin (store_custom_fields(store_id, custom_fields)) where custom_fields <> '{}';
