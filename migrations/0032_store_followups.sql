-- Each server of a distributed database has a copy of stores and plans, where a trigger can reach no other row of a
-- store. Whoever writes them calls functions (src/tenancy/stores/followups.ts).

drop trigger follow_settings on stores;
drop trigger follow_settings_rows on stores;
drop trigger media_uses_insert on stores;
drop trigger media_uses_update on stores;
drop trigger media_uses_delete on stores;
drop trigger forget_days on stores;
drop function forget_days();
drop trigger follow_plan on plans;
drop function follow_plan();

-- A new time zone moves the days: they are recomputed.
create function forget_days(owner text, zone text) returns void language plpgsql as $$
begin
  delete from sales_days where store_id = owner;
  delete from sales_by_day where store_id = owner;
  delete from sales_by_period where store_id = owner;
  delete from tax_by_day where store_id = owner;
  insert into unsummed_days (store_id, day)
  select distinct store_id, (quarter at time zone zone)::date
  from sales_sums
  where store_id = owner
  on conflict do nothing;
end $$;

-- Where the pictures of a store's row are used: compared with what is noted, as the row's former values are gone.
create function follow_store_media(owner text) returns void language plpgsql as $$
declare
  before text[];
  after  text[];
begin
  select array_agg(hash) into before from media_uses where store_id = owner and source = 'stores';
  select media_in(owner, concat_ws(' ', logo, favicon, hero_image)) into after from stores where id = owner;
  before := coalesce(before, '{}');
  after := coalesce(after, '{}');
  delete from media_uses
  where store_id = owner
    and source = 'stores'
    and hash = any(before)
    and hash <> all(after);
  insert into media_uses (store_id, hash, source, record_id)
  select owner, one, 'stores', '00000000-0000-0000-0000-000000000000'
  from unnest(after) as one
  where one <> all(before)
  on conflict do nothing;
  insert into media_changes (store_id, hash)
  select owner, one
  from unnest(before || after) as one
  where one <> all(before) or one <> all(after);
end $$;

-- For those who change a plan by hand: its stores show what it allows.
create function plan_changed(changed text) returns void language plpgsql as $$
declare
  owner text;
begin
  for owner in select id from stores where plan_id = changed loop
    perform move_version(owner, 'settings');
  end loop;
end $$;

create or replace function follow_version() returns trigger language plpgsql as $$
declare
  owner   text;
  subject text := tg_argv[0];
  moved   text := current_setting('stoa.moved', true);
begin
  if tg_op = 'DELETE' then owner := old.store_id; else owner := new.store_id; end if;
  if strpos(moved, concat(',', subject, owner, ',')) > 0 then
    return null;
  end if;
  -- A transaction of many stores moves a version again rather than search a long text.
  moved := set_config('stoa.moved', concat(right(moved, 1000), ',', subject, owner, ','), true);
  perform move_version(owner, subject);
  return null;
end $$;

-- The arguments are the columns that can contain URLs of pictures. On a server of a distributed database, the table's
-- name ends in the number of its part.
create or replace function note_media_uses() returns trigger language plpgsql as $$
declare
  origin text := regexp_replace(tg_table_name, '_[0-9]{6,}$', '');
  owner  text;
  record uuid;
  before text[] := '{}';
  after  text[] := '{}';
begin
  if tg_op <> 'INSERT' then
    owner := old.store_id;
    record := old.id;
    before := media_in(owner, (select string_agg(to_jsonb(old) ->> name, ' ') from unnest(tg_argv) as name));
  end if;
  if tg_op <> 'DELETE' then
    owner := new.store_id;
    record := new.id;
    after := media_in(owner, (select string_agg(to_jsonb(new) ->> name, ' ') from unnest(tg_argv) as name));
  end if;
  delete from media_uses
  where store_id = owner
    and hash = any(before)
    and hash <> all(after)
    and source = origin
    and record_id = record;
  insert into media_uses (store_id, hash, source, record_id)
  select owner, one, origin, record
  from unnest(after) as one
  where one <> all(before)
  on conflict do nothing;
  insert into media_changes (store_id, hash)
  select owner, one
  from unnest(before || after) as one
  where one <> all(before) or one <> all(after);
  return null;
end $$;
