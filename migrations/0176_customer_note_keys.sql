alter table customer_notes add constraint customer_notes_customer_fk
  foreign key (store_id, customer_id) references customers (store_id, id) on delete cascade;
