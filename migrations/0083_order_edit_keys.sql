-- The keys of edits, by now in place with the other tables of their store.

alter table order_edits
  add constraint order_edits_order foreign key (store_id, order_id) references orders (store_id, id) on delete cascade;
