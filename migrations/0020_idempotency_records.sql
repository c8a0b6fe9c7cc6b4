-- The records of a kept response are filled in where its row is stored: in a distributed database only that server
-- knows what the triggers of the audit log have noted.
create function complete_idempotency_key() returns trigger language plpgsql as $$
begin
  new.records := ('{' || coalesce(current_setting('stoa.records', true), '') || '}')::uuid[];
  return new;
end $$;

create trigger complete_key before insert on idempotency_keys
for each row execute function complete_idempotency_key();
