-- A grant ends with its order, or with its file.

alter table downloads_grants add constraint downloads_grants_order
  foreign key (store_id, order_id) references orders (store_id, id) on delete cascade;
alter table downloads_grants add constraint downloads_grants_file
  foreign key (store_id, file_id) references downloads_files (store_id, id) on delete cascade;
alter table downloads_keys add constraint downloads_keys_grant
  foreign key (store_id, grant_id) references downloads_grants (store_id, id) on delete cascade;
