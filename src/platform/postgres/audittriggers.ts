// Makes the functions behind the triggers of the audit log (migrations/0002_tenancy.sql). They name every column of
// their table, which is far cheaper than comparing whole rows. They are generated from the tables' columns, and again
// after those change.
import type pg from 'pg'

/** A table with triggers, and the arguments that its migration gave them. */
type AuditedTable = {
  name: string
  columns: { name: string; type: string }[]
  /** The column that identifies a record. */
  key: string
  /** Columns that distinguish records with the same key, e.g. the collection of a product. */
  owners: string[]
  /** Derived columns, which are left out. */
  hidden: string[]
  /** Columns of which only the name is recorded. */
  private: string[]
  /** True if their values are stored where they can be erased. */
  keeps: boolean
  /** The body of the current function. */
  body: string
}

/** Makes the functions that are missing or outdated. */
export async function makeAuditTriggers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<AuditedTable>(auditedTables)
  for (const table of rows) {
    const body = triggerBodyOf(table)
    if (body === table.body) continue
    // Planned for one row, a nested loop over thousands would compare each with each.
    await client.query(`
      create or replace function account_${table.name}() returns trigger language plpgsql
      set enable_nestloop = off as $teller$${body}$teller$`)
  }
}

const auditedTables = `
  select own.relname as name, arguments[1] as key, arguments[2]::text[] as hidden, arguments[3]::text[] as private,
    arguments[4]::boolean as keeps,
    array(
      select attname::text
      from pg_index
      join pg_attribute on attrelid = indrelid and attnum = any(indkey)
      where indrelid = own.oid and indisprimary and arguments[1] <> 'id' and attname not in ('store_id', arguments[1])
      order by attnum) as owners, teller.prosrc as body,
    (select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, null)) order by attnum)
      from pg_attribute where attrelid = own.oid and attnum > 0 and not attisdropped) as columns
  from pg_trigger
  cross join lateral string_to_array(encode(tgargs, 'escape'), '\\000') as arguments
  join pg_class as own on own.oid = tgrelid
  join pg_proc as teller on teller.oid = tgfoid
  where own.relnamespace = current_schema()::regnamespace
    and tgname = 'account_insert'
  order by own.relname`

/** Adds the changes of a statement to the settings of the transaction. */
function triggerBodyOf(table: AuditedTable): string {
  const { keeps, columns, key } = table
  const isUuid = columns.some(({ name, type }) => name === key && type === 'uuid')
  return `
declare
  told     text;
  ids      text;
  personal text;
  known    text;
begin
  if tg_op = 'INSERT' then
    ${bodyOfRows(table, 'after')}
  elsif tg_op = 'DELETE' then
    ${bodyOfRows(table, 'before')}
  else
    ${bodyOfPairs(table)}
  end if;
  ${[['changes', 'told'], ...(isUuid ? [['records', 'ids']] : []), ...(keeps ? [['personal', 'personal']] : [])]
    .map(([setting, more]) => adding(setting!, more!))
    .join('\n  ')}
  return null;
end `
}

const adding = (setting: string, more: string) => `if ${more} is not null then
    known := current_setting('stoa.${setting}', true);
    known := set_config('stoa.${setting}', case when known <> '' then known || ',' || ${more} else ${more} end, true);
  end if;`

/** The body for inserted or deleted rows. */
function bodyOfRows(table: AuditedTable, side: 'after' | 'before'): string {
  const { open, secret } = columnsOf(table)
  const cells = (names: string[]) =>
    names.length > 0
      ? `(select to_json(cells) from (select ${names.map((name) => `${side}.${name}`)}) as cells)`
      : `'{}'`
  const both = (names: string[]) =>
    side === 'after' ? [`'"before":null,"after":'`, cells(names)] : [`'"before":'`, cells(names), `',"after":null'`]
  const secretNames = secret.map((name) => `case when ${side}.${name} is not null then '"${name}"' end`)
  // Personal values of deleted rows are erased.
  const personal =
    table.keeps && side === 'after' ? `string_agg(${entry(table, side, [salt, ...both(secret)])}, ',')` : 'null'
  return `select string_agg(${entry(table, side, [about(table), ...both(open), ...naming(secretNames, secret)])}, ','),
      string_agg(${side}.${table.key}::text, ','), ${personal}
    into told, ids, personal
    from ${side};`
}

/** The body for updated rows: only the columns that differ. */
function bodyOfPairs(table: AuditedTable): string {
  const { key, keeps, owners } = table
  const { open, secret } = columnsOf(table)
  const both = [...new Set([storeOf(table), key, ...owners])]
  const owned = list(owners.map((name) => `'"${name}":' || to_json(pair.${name})::text`))
  const ownedWith = (was: string, becomes: string): [string, string] =>
    owners.length === 0 ? [was, becomes] : [`concat_ws(',', ${owned}, ${was})`, `concat_ws(',', ${owned}, ${becomes})`]
  const pair = (was: string, becomes: string) => [`'"before":{'`, was, `'},"after":{'`, becomes, `'}'`]
  const changes = [about(table), ...pair(...ownedWith('was', 'becomes')), ...naming(['secrets'], secret)]
  const personal = [salt, ...pair('secretly_was', 'secretly_becomes')]
  return `select string_agg(${entry(table, 'pair', changes)}, ','),
      string_agg(pair.${key}::text, ','),
      ${keeps ? `string_agg(${entry(table, 'pair', personal)}, ',') filter (where secrets <> '')` : 'null'}
    into told, ids, personal
    from (
      select ${both.map((name) => `after.${name}`)},
        ${list(changed(table, open, cell('before')))} as was,
        ${list(changed(table, open, cell('after')))} as becomes,
        ${list(changed(table, secret, (name) => `'"${name}"'`))} as secrets,
        ${list(keeps ? changed(table, secret, cell('before')) : [])} as secretly_was,
        ${list(keeps ? changed(table, secret, cell('after')) : [])} as secretly_becomes
      from before
      join after on ${both.map((name) => `after.${name} = before.${name}`).join(' and ')}
      offset 0) as pair
    where was <> '' or secrets <> '';`
}

const cell = (side: string) => (name: string) => `'"${name}":' || coalesce(to_json(${side}.${name})::text, 'null')`

/** A text for each column that differs, null for the others. */
function changed({ columns }: AuditedTable, names: string[], text: (name: string) => string): string[] {
  const typeOf = new Map(columns.map(({ name, type }) => [name, type]))
  // The type json has no equality.
  const value = (side: string, name: string) => `${side}.${name}${typeOf.get(name) === 'json' ? '::text' : ''}`
  return names.map(
    (name) => `case when ${value('after', name)} is distinct from ${value('before', name)} then ${text(name)} end`,
  )
}

/** One JSON object. */
function entry(table: AuditedTable, side: string, parts: string[]): string {
  const whose = [`'{"store":'`, `to_json(${side}.${storeOf(table)})`, `',"id":'`, `to_json(${side}.${table.key})`]
  return `concat(${[...whose, ...parts, `'}'`].join(', ')})`
}

const salt = `',"salt":"', gen_random_uuid(), '",'`

const about = ({ name }: AuditedTable) => `',"table":"${name}",'`

/** The names of private columns, if the table has any. */
const naming = (names: string[], secret: string[]) => (secret.length > 0 ? [`',"private":['`, list(names), `']'`] : [])

// A store's own row has no store_id.
const storeOf = ({ columns }: AuditedTable) => (columns.some(({ name }) => name === 'store_id') ? 'store_id' : 'id')

function columnsOf({ columns, hidden, private: secret }: AuditedTable): { open: string[]; secret: string[] } {
  const visible = columns.map(({ name }) => name).filter((name) => !hidden.includes(name))
  return {
    open: visible.filter((name) => !secret.includes(name)),
    secret: visible.filter((name) => secret.includes(name)),
  }
}

// The maximum number of arguments of a function, less one.
const atOnce = 99

/** Joins texts with commas; null ones are left out. */
function list(texts: string[]): string {
  if (texts.length === 0) return `''`
  if (texts.length <= atOnce) return `concat_ws(',', ${texts.join(', ')})`
  const parts = Array.from({ length: Math.ceil(texts.length / atOnce) }, (_, at) =>
    texts.slice(at * atOnce, (at + 1) * atOnce),
  )
  return `concat_ws(',', ${parts.map((part) => `nullif(${list(part)}, '')`).join(', ')})`
}
