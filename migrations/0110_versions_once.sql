-- A transaction moves the versions of its store in its last statement: all subjects at once, and nobody who writes to
-- the store meanwhile finds the row locked.

-- `subject` names one, or several separated by commas.
create or replace function move_version(owner text, subject text) returns void language plpgsql as $$
declare
  step bigint := 1 + floor(random() * 1000000);
begin
  loop
    update store_versions
    set access = access + case when strpos(subject, 'access') > 0 then step else 0 end,
      settings = settings + case when strpos(subject, 'settings') > 0 then step else 0 end,
      catalog = catalog + case when strpos(subject, 'catalog') > 0 then step else 0 end,
      discounts = discounts + case when strpos(subject, 'discounts') > 0 then step else 0 end,
      customers = customers + case when strpos(subject, 'customers') > 0 then step else 0 end,
      orders = orders + case when strpos(subject, 'orders') > 0 then step else 0 end
    where store_versions.store_id = owner
      and slot = (
        select idle.slot
        from store_versions as idle
        where idle.store_id = owner
        order by idle.slot
        limit 1
        for update skip locked);
    exit when found;
    insert into store_versions (store_id, slot) values (owner, floor(random() * 2147483647)::int);
  end loop;
end $$;

-- A deferrable transaction of a session with a journal ends with an entry of the audit log
-- (src/kit/database/transaction.ts): it only notes the subjects of its first store in the setting stoa.moving. Any
-- other transaction, of psql or a restore, moves a version with the first row that it changes; the setting stoa.moved
-- names those that it has moved.
create or replace function follow_version() returns trigger language plpgsql as $$
declare
  owner   text;
  subject text := tg_argv[0];
  noted   text := current_setting('stoa.moving', true);
  moved   text;
begin
  if tg_op = 'DELETE' then owner := old.store_id; else owner := new.store_id; end if;
  if starts_with(noted, owner) then
    if strpos(noted, subject) = 0 then
      noted := set_config('stoa.moving', concat(noted, ',', subject), true);
    end if;
    return null;
  elsif coalesce(noted, '') = '' and current_setting('transaction_deferrable') = 'on'
    and current_setting('stoa.journal', true) = 'on' then
    noted := set_config('stoa.moving', concat(owner, ',', subject), true);
    return null;
  end if;
  moved := current_setting('stoa.moved', true);
  if strpos(moved, concat(',', subject, owner, ',')) > 0 then
    return null;
  end if;
  -- A transaction of many stores moves a version again rather than search a long text.
  moved := set_config('stoa.moved', concat(right(moved, 1000), ',', subject, owner, ','), true);
  perform move_version(owner, subject);
  return null;
end $$;

create function move_noted_versions() returns trigger language plpgsql as $$
declare
  noted text := current_setting('stoa.moving', true);
begin
  if noted <> '' then
    perform move_version(split_part(noted, ',', 1), noted);
    noted := set_config('stoa.moving', '', true);
  end if;
  return null;
end $$;

-- Also when there is nothing to insert.
create trigger move_versions before insert on audit_log
for each statement execute function move_noted_versions();
