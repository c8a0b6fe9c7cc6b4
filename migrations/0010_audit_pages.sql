-- Triggers of the audit log collect changes in settings of the transaction (stoa.changes, stoa.records, stoa.personal).
-- A full page is set aside under its number, and the next one begins empty; stoa.pages counts them.
create function turn_audit_page() returns void language plpgsql as $$
declare
  page    text := coalesce(nullif(current_setting('stoa.pages', true), '')::int, 0) + 1;
  setting text;
begin
  perform set_config('stoa.pages', page, true);
  foreach setting in array '{changes,records,personal}'::text[] loop
    perform set_config(format('stoa.%s_%s', setting, page), coalesce(current_setting('stoa.' || setting, true), ''), true);
    perform set_config('stoa.' || setting, '', true);
  end loop;
end $$;

-- Everything that a transaction has collected in one of the settings; null if nothing.
create function audit_pages(setting text) returns text language sql stable as $$
  select nullif(concat_ws(',', (
    select string_agg(nullif(current_setting(format('stoa.%s_%s', setting, page)), ''), ',' order by page)
    from generate_series(1, nullif(current_setting('stoa.pages', true), '')::int) as page),
    nullif(current_setting('stoa.' || setting, true), '')), '')
$$;
