-- Where rows are on several servers, each notes the changes of its own rows: those of keys and members are where the
-- processes connect, all others where the store's rows are. An entry brings the former, and is completed with the
-- latter where it is stored.

-- The changes of a store that this server has noted, and those that the entry has brought. A row of a table that every
-- server has was noted by both.
create function join_audit_notes(store text, own json, brought json) returns json language sql immutable as $$
  select json_agg(entry order by is_brought, position)
  from (
    select entry, false as is_brought, position
    from json_array_elements(own) with ordinality as noted (entry, position)
    union all
    select entry, true, position
    from json_array_elements(brought) with ordinality as noted (entry, position)
    where (entry ->> 'id', coalesce(entry ->> 'table', '')) not in (
      select known ->> 'id', coalesce(known ->> 'table', '')
      from json_array_elements(coalesce(own, '[]')) as noted (known))) as notes
  where entry ->> 'store' = store
$$;

-- Completes the last statement of a transaction, unless that has found all changes itself: it then names the records.
-- Without changes there is no entry.
create or replace function complete_audit_entry() returns trigger language plpgsql as $$
begin
  if new.records is null and new.changes is null then
    new.changes := '[' || audit_pages('changes') || ']';
    if new.changes is null then return null; end if;
    new.personal := '[' || audit_pages('personal') || ']';
    new.records := array_remove(
      ('{' || coalesce(audit_pages('records'), '') || '}')::uuid[] || new.proposal_id, null);
  elsif new.records is null then
    new.changes := join_audit_notes(new.store_id, ('[' || audit_pages('changes') || ']')::json, new.changes);
    if new.changes is null then return null; end if;
    new.personal := join_audit_notes(new.store_id, ('[' || audit_pages('personal') || ']')::json, new.personal);
    new.records := array_remove(array(
      select distinct (entry ->> 'id')::uuid
      from json_array_elements(new.changes) as noted (entry)
      where entry ->> 'id' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$') || new.proposal_id, null);
  end if;
  insert into audit_unsealed (store_id, entry_id) values (new.store_id, new.id);
  return new;
end $$;
