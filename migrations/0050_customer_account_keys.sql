-- The keys of 0049_customer_accounts, once its tables are distributed.

alter table shopper_sessions add constraint shopper_sessions_customer_key
  foreign key (store_id, customer_id) references customers (store_id, id) on delete cascade;
alter table shopper_passkeys add constraint shopper_passkeys_customer_key
  foreign key (store_id, customer_id) references customers (store_id, id) on delete cascade;
