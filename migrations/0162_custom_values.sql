-- Values of custom fields, by key.

alter table products add column custom_fields jsonb not null default '{}';
alter table variants add column custom_fields jsonb not null default '{}';
alter table customers add column custom_fields jsonb not null default '{}';

-- Values as the indexes have them: each key with its store, and again with its value unless that is a long text.
create function store_custom_fields(store_id text, custom_fields jsonb) returns text[]
language sql immutable strict parallel safe as $$
  select array_agg(store_id || ':' || key || suffix)
  from jsonb_each_text(custom_fields)
  cross join lateral unnest(array['', chr(10) || value]) as entry (suffix)
  where length(suffix) <= 121
$$;

-- Those of a customer are personal.
drop function account_customers() cascade;
select account_for('customers', hidden => '{phone_key}', private => '{name,email,phone,notes,tax_id,tags,addresses,external_id,metadata,custom_fields}', keeps => true);
