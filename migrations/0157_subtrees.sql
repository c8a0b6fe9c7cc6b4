-- concurrently
create index categories_parent_id on categories (store_id, parent_id) where parent_id is not null;
create index categories_below on categories using gin (ancestor_ids) where parent_id is not null;
