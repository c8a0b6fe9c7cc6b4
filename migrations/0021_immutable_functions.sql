-- What a write calls is immutable: a distributed database has it run where the row is, on each copy of it.

-- Like refuse(condition). `cell` is a column of the row, so that the call waits for the row.
create function refuse(condition text, cell bigint) returns bigint language plpgsql immutable as $$
begin
  perform refuse(condition);
  return cell;
end $$;

-- array_to_json is stable, because some types are written in the format of a session. Texts and uuids are not.
create function list_json(list text[]) returns json
language sql immutable strict parallel safe as 'select array_to_json(list)';

create function list_json(list uuid[]) returns json
language sql immutable strict parallel safe as 'select array_to_json(list)';
