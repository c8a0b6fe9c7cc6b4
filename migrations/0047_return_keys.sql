-- The keys of returns, by now in place with the other tables of their store. A refund is deleted with its order alone.

alter table returns
  add constraint returns_of_order foreign key (store_id, order_id) references orders (store_id, id) on delete cascade;

alter table return_items
  add constraint return_items_return foreign key (store_id, return_id) references returns (store_id, id)
    on delete cascade,
  add constraint return_items_of_order foreign key (store_id, order_id, item_id)
    references order_items (store_id, order_id, id) on delete cascade;
