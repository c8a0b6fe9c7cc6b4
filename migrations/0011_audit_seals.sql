-- The chain of the audit log in tables of its own, so that no entry is written twice.

-- Entries that the job has not sealed yet. A trigger adds each new entry; the job deletes it.
create table audit_unsealed (
  store_id text not null,
  entry_id uuid not null,
  primary key (store_id, entry_id)
);

insert into audit_unsealed (store_id, entry_id)
select store_id, id from audit_log where sequence is null;

-- Entries that were sealed together, in the order of their store's chain.
create table audit_seals (
  store_id   text not null,
  sequence   bigint not null,                  -- of the first entry
  last_entry uuid not null,                    -- the newest of the entries
  entries    uuid[] not null,
  hashes     bytea[] not null,                 -- of each entry, over it and the previous hash
  primary key (store_id, sequence)
);
create index audit_seals_last on audit_seals (store_id, last_entry);

-- Entries sealed so far: a seal for each day, and for 500 at most. A gap in the sequence stays one.
insert into audit_seals (store_id, sequence, last_entry, entries, hashes)
select store_id, min(sequence), (array_agg(id order by id desc))[1], array_agg(id order by sequence),
  array_agg(hash order by sequence)
from (
  select store_id, id, sequence, hash, created_at::date as day,
    sequence - row_number() over (partition by store_id, created_at::date order by sequence) as run
  from audit_log
  where sequence is not null) as sealed
group by store_id, day, run, (sequence - 1) / 500;

-- The entries of each record. The job adds them when it seals an entry.
create table audit_records (
  store_id  text not null,
  record_id uuid not null,
  entry_id  uuid not null
);
insert into audit_records (store_id, record_id, entry_id)
select distinct store_id, record_id, id
from audit_log
cross join unnest(records) as record_id
where sequence is not null;
alter table audit_records add primary key (store_id, record_id, entry_id);

drop index audit_log_records;
alter table audit_log drop column sequence, drop column hash;

-- Everything that a transaction has collected in one of the settings; null if nothing.
create or replace function audit_pages(setting text) returns text language plpgsql stable as $$
declare
  last text := nullif(current_setting('stoa.' || setting, true), '');
begin
  if coalesce(current_setting('stoa.pages', true), '') = '' then return last; end if;
  return nullif(concat_ws(',', (
    select string_agg(nullif(current_setting(format('stoa.%s_%s', setting, page)), ''), ',' order by page)
    from generate_series(1, current_setting('stoa.pages')::int) as page), last), '');
end $$;

-- Completes the last statement of a transaction. It runs where the row is stored, and so where other triggers have
-- collected the changes. Without changes there is no entry.
create function complete_audit_entry() returns trigger language plpgsql as $$
begin
  if new.changes is null then
    new.changes := '[' || audit_pages('changes') || ']';
    if new.changes is null then return null; end if;
    new.personal := '[' || audit_pages('personal') || ']';
    new.records := array_remove(
      ('{' || coalesce(audit_pages('records'), '') || '}')::uuid[] || new.proposal_id, null);
  end if;
  insert into audit_unsealed (store_id, entry_id) values (new.store_id, new.id);
  return new;
end $$;

create trigger complete_entry before insert on audit_log
  for each row execute function complete_audit_entry();
