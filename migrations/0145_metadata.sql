-- What integrations keep on records: their own ID of each, and texts of their own by key.

-- Metadata as the indexes have it: each key and text with its store, so that a store finds its own alone. A key has no
-- line break.
create function store_metadata(store_id text, metadata jsonb) returns text[]
language sql immutable strict parallel safe as $$
  select array_agg(store_id || ':' || key || chr(10) || value) from jsonb_each_text(metadata)
$$;

alter table products add column external_id text, add column metadata jsonb not null default '{}';
alter table variants add column external_id text, add column metadata jsonb not null default '{}';
alter table categories add column external_id text, add column metadata jsonb not null default '{}';
alter table collections add column external_id text, add column metadata jsonb not null default '{}';
alter table customers add column external_id text, add column metadata jsonb not null default '{}';
alter table discounts add column external_id text, add column metadata jsonb not null default '{}';
alter table orders add column external_id text, add column metadata jsonb not null default '{}';
alter table order_items add column external_id text, add column metadata jsonb not null default '{}';
alter table draft_orders add column external_id text, add column metadata jsonb not null default '{}';
alter table returns add column external_id text, add column metadata jsonb not null default '{}';
alter table webhooks add column external_id text, add column metadata jsonb not null default '{}';
alter table stores add column external_id text, add column metadata jsonb not null default '{}';

-- Those of a person are personal: the audit log keeps them apart.
drop trigger account_insert on customers;
drop trigger account_update on customers;
drop trigger account_delete on customers;
drop function account_customers();
select account_for('customers', hidden => '{phone_key}', private => '{name,email,phone,notes,tax_id,tags,addresses,external_id,metadata}', keeps => true);
