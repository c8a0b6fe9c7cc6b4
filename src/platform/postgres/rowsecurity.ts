// Row-level security, a second line of defense behind composite keys. Every table with rows of stores has a policy; it
// applies to the role that serves requests with ROW_SECURITY on, and not to the tables' owner, who migrates and backs
// up.
import type pg from 'pg'
import { tenantRole } from '../../kit/database/settings.ts'

/** Makes missing policies. A role that may not make roles leaves ROW_SECURITY to the server's owner. */
export async function secureRows(client: pg.Client): Promise<void> {
  await client.query(makeRole)
  const { rows } = await client.query<{ name: string; key: string }>(tablesWithoutPolicy)
  for (const { name, key } of rows) {
    await client.query(`
      alter table ${name} enable row level security;
      create policy own_store on ${name}
      using (${key} = current_setting('stoa.store_id', true) or current_setting('stoa.store_id', true) = '*')`)
  }
  await client.query(grantAll)
}

// Roles belong to the whole server: another of its databases may have made this one, or be making it.
const makeRole = `
  do $$
  begin
    if not exists (select from pg_roles where rolname = '${tenantRole}') then
      create role ${tenantRole} nologin;
    end if;
  exception
    when insufficient_privilege or duplicate_object or unique_violation then null;
  end $$`

// A store's own row has no store_id.
const tablesWithoutPolicy = `
  select format('%I', tables.relname) as name, case tables.relname when 'stores' then 'id' else 'store_id' end as key
  from pg_class as tables
  where tables.relnamespace = current_schema()::regnamespace
    and tables.relkind in ('r', 'p')
    and not tables.relispartition
    and (tables.relname = 'stores'
      or exists (select from pg_attribute where attrelid = tables.oid and attname = 'store_id' and not attisdropped))
    and not exists (select from pg_policy where polrelid = tables.oid and polname = 'own_store')
  order by tables.relname`

const grantAll = `
  do $$
  begin
    if exists (select from pg_roles where rolname = '${tenantRole}') then
      execute format('grant usage on schema %I to ${tenantRole}', current_schema());
      execute format('grant select, insert, update, delete on all tables in schema %I to ${tenantRole}',
        current_schema());
      execute format('grant truncate on %I.write_probes to ${tenantRole}', current_schema());
      execute format('grant usage on all sequences in schema %I to ${tenantRole}', current_schema());
      -- A parameter belongs to the whole server, too. Two grants of it at once are an internal error of PostgreSQL.
      begin
        if not has_parameter_privilege('${tenantRole}', 'deadlock_timeout', 'set') then
          grant set on parameter deadlock_timeout to ${tenantRole};
        end if;
      exception
        when unique_violation or internal_error then null;
      end;
    end if;
  exception
    when insufficient_privilege then null;
  end $$`
