-- concurrently
create index order_items_parts on order_items using gin (store_tags(store_id, part_items(parts)))
  with (gin_pending_list_limit = 64) where parts is not null;
