-- Answers to the custom fields of the store, by key; null: none.
alter table checkouts add column custom_fields json;
