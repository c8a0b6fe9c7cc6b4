-- What every write has changed. Triggers note the rows of a statement, before and after, in settings of the transaction
-- (stoa.changes, stoa.personal); its last statement writes them into one row of audit_log, with its cause.

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

-- What of a statement is told: adds to the settings of the transaction. Everything that writes pays for this: one query,
-- and of a table without secrets no more.
create function note_changes() returns trigger language plpgsql as $$
declare
  key    text   := tg_argv[0];
  hidden text[] := tg_argv[1];
  told   text;
  ids    text;
  known  text;
begin
  if tg_op = 'INSERT' then
    select string_agg(json_build_object('store', coalesce(row.cells ->> 'store_id', row.cells ->> 'id'),
        'table', tg_table_name, 'id', row.cells -> key, 'before', null, 'after', row.cells - hidden)::text, ','),
      string_agg(row.cells ->> key, ',')
    into told, ids
    from (select to_jsonb(after) as cells from after offset 0) as row;
  elsif tg_op = 'DELETE' then
    select string_agg(json_build_object('store', coalesce(row.cells ->> 'store_id', row.cells ->> 'id'),
        'table', tg_table_name, 'id', row.cells -> key, 'before', row.cells - hidden, 'after', null)::text, ','),
      string_agg(row.cells ->> key, ',')
    into told, ids
    from (select to_jsonb(before) as cells from before offset 0) as row;
  else
    select string_agg(json_build_object('store', coalesce(pair.becomes ->> 'store_id', pair.becomes ->> 'id'),
        'table', tg_table_name, 'id', pair.becomes -> key, 'before', change.was, 'after', change.becomes)::text, ','),
      string_agg(pair.becomes ->> key, ',')
    into told, ids
    from (
      select earlier.cells as was, later.cells as becomes
      from (select to_jsonb(before) as cells from before offset 0) as earlier
      join (select to_jsonb(after) as cells from after offset 0) as later
        on later.cells -> key = earlier.cells -> key
        and later.cells -> 'store_id' is not distinct from earlier.cells -> 'store_id'
      offset 0) as pair
    cross join lateral (
      select jsonb_object_agg(field.key, field.value) as was,
        jsonb_object_agg(field.key, pair.becomes -> field.key) as becomes
      from jsonb_each(pair.was - hidden) as field
      where field.value is distinct from pair.becomes -> field.key) as change
    where change.was is not null;
  end if;
  if told is not null then
    known := current_setting('stoa.changes', true);
    known := set_config('stoa.changes', case when known <> '' then known || ',' || told else told end, true);
    if tg_argv[2] = 'uuid' then
      known := current_setting('stoa.records', true);
      known := set_config('stoa.records', case when known <> '' then known || ',' || ids else ids end, true);
    end if;
  end if;
  return null;
end $$;

create function note(setting text, more text) returns void language plpgsql as $$
declare
  known text := current_setting(setting, true);
begin
  known := set_config(setting, case when known <> '' then known || ',' || more else more end, true);
end $$;

-- Of `private` columns only the names are told; with `keeps` the values of those go where they can be erased.
create function note_private_changes() returns trigger language plpgsql as $$
declare
  key      text    := tg_argv[0];
  hidden   text[]  := tg_argv[1];
  private  text[]  := tg_argv[3];
  keeps    boolean := tg_argv[4];
  both     refcursor;
  was      jsonb;
  becomes  jsonb;
  whole    jsonb;
  -- Appended to by an expression of nothing else, an array is not copied.
  entry    text;
  told     text[] := '{}';
  ids      text[] := '{}';
  personal text[] := '{}';
begin
  if tg_op = 'INSERT' then
    open both for select null::jsonb, to_jsonb(after) from after;
  elsif tg_op = 'DELETE' then
    open both for select to_jsonb(before), null::jsonb from before;
  else
    open both for
      select earlier.cells, later.cells
      from (select to_jsonb(before) as cells from before offset 0) as earlier
      join (select to_jsonb(after) as cells from after offset 0) as later
        on later.cells -> key = earlier.cells -> key
        and later.cells -> 'store_id' is not distinct from earlier.cells -> 'store_id';
  end if;
  loop
    fetch both into was, becomes;
    exit when not found;
    whole := coalesce(becomes, was);
    was := was - hidden;
    becomes := becomes - hidden;
    if tg_op = 'UPDATE' then
      select jsonb_object_agg(field.key, field.value), jsonb_object_agg(field.key, becomes -> field.key)
      into was, becomes
      from jsonb_each(was) as field
      where field.value is distinct from becomes -> field.key;
      continue when was is null;
    end if;
    entry := whole ->> key;
    ids := ids || entry;
    entry := json_build_object('store', whole -> 'store_id', 'table', tg_table_name, 'id', whole -> key,
      'before', was - private, 'after', becomes - private,
      'private', array(select name from unnest(private) as name
        where coalesce(becomes, was) ? name and (tg_op = 'UPDATE' or coalesce(becomes, was) -> name <> 'null')))::text;
    told := told || entry;
    -- What is deleted is erased.
    if keeps and becomes ?| private then
      entry := json_build_object('store', whole -> 'store_id', 'id', whole -> key,
        'salt', gen_random_uuid(),
        'before', was - array(select name from jsonb_object_keys(was) as name where name <> all (private)),
        'after', becomes - array(select name from jsonb_object_keys(becomes) as name where name <> all (private)))::text;
      personal := personal || entry;
    end if;
  end loop;
  close both;
  if told <> '{}' then
    perform note('stoa.changes', array_to_string(told, ','));
    perform note('stoa.records', array_to_string(ids, ','));
  end if;
  if personal <> '{}' then
    perform note('stoa.personal', array_to_string(personal, ','));
  end if;
  return null;
end $$;

-- Gives a table its three triggers. `key` names a record; `hidden` columns follow from others. They are for sessions
-- that write the log: others, as one of a restore or of an operator's hand, have nobody who would write it.
create function account_for(
  relation regclass, key text default 'id', hidden text[] default '{}', private text[] default '{}', keeps boolean default false
) returns void language plpgsql as $$
declare
  kind text := (select format_type(atttypid, null) from pg_attribute where attrelid = relation and attname = key);
  operation text;
begin
  foreach operation in array '{insert,update,delete}'::text[] loop
    execute format(
      'create trigger account_%s after %s on %s referencing %s for each statement
         when (current_setting(''stoa.journal'', true) = ''on'')
         execute function %s(%L, %L, %L%s)',
      operation, operation, relation,
      case operation
        when 'insert' then 'new table as after'
        when 'delete' then 'old table as before'
        else 'old table as before new table as after' end,
      case when private = '{}' then 'note_changes' else 'note_private_changes' end,
      key, hidden || '{store_id,updated_at,search_text}'::text[], kind,
      case when private = '{}' then '' else format(', %L, %L', private, keeps) end);
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
