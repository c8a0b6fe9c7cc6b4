-- concurrently
create unique index draft_orders_number on draft_orders (store_id, draft_number);
