-- Customers that became one. What went with the other is kept, so that an undo gives it back.
create table customer_merges (
  store_id    text not null references stores (id) on delete cascade,
  id          uuid not null,
  customer_id uuid not null,                   -- who remained; the next merge of theirs moves it
  merged_id   uuid not null,                   -- who went
  merged      json not null,                   -- the row of who went
  moved       json not null,                   -- table → the IDs of the rows that went along
  created_at  timestamptz(3) not null,
  primary key (store_id, id)
);
create index customer_merges_customer on customer_merges (store_id, customer_id);

select account_for('customer_merges', hidden => '{merged,moved}');
