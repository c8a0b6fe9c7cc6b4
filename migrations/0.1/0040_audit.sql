-- What every write has changed. Triggers note the rows of a statement, before and after, in settings of the transaction
-- (stoa.changes, stoa.records, stoa.personal); its last statement writes them into one row of audit_log, with its
-- cause.

create table audit_log (
  store_id   text not null,
  id         uuid not null,         -- in the order of time
  request_id text,
  actor_kind text not null,
  actor_id   text not null,
  actor_user text,                  -- for whom an app of OAuth acts
  operation  text not null,
  records    uuid[] not null,       -- of all that changed
  changes    json not null,         -- [{table, id, before, after, private}]: fields that changed; of private ones the names
  personal   json,                  -- [{id, salt, before, after}], or of who was erased {id, digest}
  created_at timestamptz(3) not null,
  reverted_by text,                 -- the request that has undone it
  sequence   bigint,                -- from here on once it is sealed: counts the store's rows
  hash       bytea,                 -- of this row and of the hash of the one before
  primary key (store_id, id)
);
create index audit_log_request on audit_log (store_id, request_id) where request_id is not null;
create index audit_log_records on audit_log using gin (records) with (gin_pending_list_limit = 256);
create index audit_log_reverted on audit_log (store_id, reverted_by) where reverted_by is not null;
create index audit_log_unsealed on audit_log (store_id, id) where sequence is null;
create unique index audit_log_sequence on audit_log (store_id, sequence) where sequence is not null;

-- The end of each store's chain, and where it begins since what was before has been dropped.
create table audit_chains (
  store_id       text primary key,
  sequence       bigint not null,   -- of the last row that is sealed
  hash           bytea not null,
  first_sequence bigint not null default 0,
  first_hash     bytea not null default ''
);

-- Gives a table its three triggers, whose function is made from its columns once all migrations are applied, and anew
-- when they have changed (src/platform/postgres/accounting.ts). `key` names a record; `hidden` columns follow from others;
-- of `private` columns only the names are told; with `keeps` the values of those go where they can be erased. They are
-- for sessions that write the log: others, as one of a restore or of an operator's hand, have nobody who would write it.
create function account_for(
  relation regclass, key text default 'id', hidden text[] default '{}', private text[] default '{}', keeps boolean default false
) returns void language plpgsql as $$
declare
  teller    text := 'account_' || relation::text;
  operation text;
begin
  execute format('create function %I() returns trigger language plpgsql as ''begin return null; end''', teller);
  foreach operation in array '{insert,update,delete}'::text[] loop
    execute format(
      'create trigger account_%s after %s on %s referencing %s for each statement
         when (current_setting(''stoa.journal'', true) = ''on'')
         execute function %I(%L, %L, %L, %L)',
      operation, operation, relation,
      case operation
        when 'insert' then 'new table as after'
        when 'delete' then 'old table as before'
        else 'old table as before new table as after' end,
      teller, key, hidden || '{store_id,updated_at,search_text}'::text[], private, keeps);
  end loop;
end $$;

select account_for('stores', hidden => '{face_version,translated}');
select account_for('api_keys', hidden => '{last_used_at}', private => '{hash}');
select account_for('members', key => 'user_id');
select account_for('categories', hidden => '{name_key}');
select account_for('products', hidden => '{variant_count}');
select account_for('variants');
select account_for('product_slugs', key => 'slug');
select account_for('category_slugs', key => 'slug');
select account_for('collections', hidden => '{name_key,products_count,products_for_sale}');
select account_for('collection_products', key => 'product_id');
select account_for('collection_slugs', key => 'slug');
select account_for('customers', hidden => '{phone_key}', private => '{name,email,phone,notes,tax_id}', keeps => true);
select account_for('discounts');
select account_for('orders', hidden => '{phone_digits,city,province,country}',
  private => '{customer_name,customer_phone,customer_email,customer_notes,internal_notes,shipping_address,tax_id,custom_fields}');
select account_for('order_items');
select account_for('fulfillments', private => '{tracking_number,tracking_url}');
select account_for('fulfillment_items', key => 'item_id');
select account_for('refunds', hidden => '{ask_at,tries}', private => '{reason}');
select account_for('refund_items', key => 'item_id');
select account_for('payment_sessions', hidden => '{look_at,ask_at,tries}', private => '{return_url,redirect_url}');
select account_for('payment_methods', private => '{secrets}');
select account_for('shipping_rates');
select account_for('order_bumps');
select account_for('tax_zones');
select account_for('webhooks', private => '{secret,previous_secret}');
select account_for('mail_settings', key => 'kind');
select account_for('pages');
select account_for('media', hidden => '{unused_since}');
