-- True if this server knows a time zone: its data may be older than the name.
create function is_time_zone(name text) returns boolean language plpgsql stable as $$
begin
  perform timestamptz 'epoch' at time zone name;
  return true;
exception
  when invalid_parameter_value then
    return false;
end
$$;
