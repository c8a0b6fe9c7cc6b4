alter table customer_merges add constraint customer_merges_customer_fk
  foreign key (store_id, customer_id) references customers (store_id, id) on delete cascade;
