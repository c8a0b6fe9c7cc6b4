// Makes the triggers of the audit log on the tables that account_for() named (migrations/0002_tenancy.sql). Their
// functions name every column of their table: PL/pgSQL compares columns faster than a query or JSON of rows.
// They are generated from the tables' columns, and again after those change.
import pg from 'pg'

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
  /** All of these as SQL. */
  arguments: string
  /** The body of the current function. */
  body: string
  /** True if the table has all three, for each row. */
  hasTriggers: boolean
  /** True if the comment of the function has the arguments. */
  isNoted: boolean
}

/** Makes the triggers that are missing, and the functions that are missing or outdated. */
export async function makeAuditTriggers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<AuditedTable>(auditedTables)
  for (const table of rows) {
    const body = buildTriggerBody(table)
    const statements = [
      ...(body === table.body ? [] : [buildAuditFunction(table, body)]),
      ...(table.hasTriggers ? [] : buildAuditTriggers(table)),
      ...(table.isNoted ? [] : [buildFunctionComment(table)]),
    ]
    // One message is one transaction, so that no write finds half of it.
    if (statements.length > 0) await client.query(statements.join(';\n'))
  }
}

const buildAuditFunction = ({ name }: AuditedTable, body: string) =>
  `create or replace function account_${name}() returns trigger language plpgsql as $teller$${body}$teller$`

function buildAuditTriggers({ name, arguments: marks }: AuditedTable): string[] {
  return ['insert', 'update', 'delete'].map(
    (operation) => `
      create or replace trigger account_${operation} after ${operation} on ${name} for each row
      when (current_setting('stoa.journal', true) = 'on')
      execute function account_${name}(${marks})`,
  )
}

/** The function outlives its triggers, and so do their arguments. */
const buildFunctionComment = ({ name, arguments: marks }: AuditedTable) =>
  `comment on function account_${name}() is ${pg.escapeLiteral(marks)}`

const auditedTables = `
  with tellers as (
    select own.oid as table_id, own.relname as name, prosrc as body, triggers.*,
      obj_description(teller.oid, 'pg_proc') as noted
    from pg_proc as teller
    join pg_class as own on own.relname = substr(proname, length('account_') + 1)
      and own.relnamespace = pronamespace
    cross join lateral (
      select max(encode(tgargs, 'escape')) as given, count(*) filter (where tgtype & 1 = 1) as count
      from pg_trigger
      where tgrelid = own.oid
        and tgfoid = teller.oid
        and tgname in ('account_insert', 'account_update', 'account_delete')) as triggers
    where pronamespace = current_schema()::regnamespace
      and prorettype = 'trigger'::regtype),
  audited as (
    select table_id, name, body, count, noted, coalesce(
      string_to_array(given, '\\000'),
      array(select found[1] from regexp_matches(noted, '''([^'']*)''', 'g') as found)) as arguments
    from tellers
    where given is not null or noted is not null)
  select name, body, arguments[1] as key, arguments[2]::text[] as hidden, arguments[3]::text[] as private,
    arguments[4]::boolean as keeps, as_text as arguments, count = 3 as "hasTriggers",
    noted is not distinct from as_text as "isNoted",
    array(
      select attname::text
      from pg_index
      join pg_attribute on attrelid = indrelid and attnum = any(indkey)
      where indrelid = table_id and indisprimary and arguments[1] <> 'id' and attname not in ('store_id', arguments[1])
      order by attnum) as owners,
    (select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, null)) order by attnum)
      from pg_attribute where attrelid = table_id and attnum > 0 and not attisdropped) as columns
  from audited
  cross join lateral (
    select string_agg(quote_literal(given), ', ') as as_text from unnest(arguments[:4]) as given) as texts
  order by name`

/** Adds the change of a row to the settings of the transaction. */
function buildTriggerBody(table: AuditedTable): string {
  const { name, keeps, columns, key } = table
  const isUuid = columns.some((column) => column.name === key && column.type === 'uuid')
  const names = splitAuditedColumns(table).secret.length > 0 ? `, ',"private":[', substr(secrets, 2), ']'` : ''
  const change = `concat(whose, ',"table":"${name}","before":', was, ',"after":', becomes${names}, '}')`
  const personal = `concat(whose, ',"salt":"', gen_random_uuid(), '","before":', secretly_was,
      ',"after":', secretly_becomes, '}')`
  return `
declare
  whose            text;
  record           text;
  was              text := '';
  becomes          text := '';
  secrets          text := '';
  secretly_was     text := '';
  secretly_becomes text := '';
  known            text;
begin
  if tg_op = 'UPDATE' then${bodyOfUpdate(table)}
  elsif tg_op = 'INSERT' then${bodyOfRow(table, 'new')}
  else${bodyOfRow(table, 'old')}
  end if;
  ${[
    adding('changes', change, turnPage),
    ...(isUuid ? [adding('records', 'record')] : []),
    // Personal values of deleted rows are erased.
    ...(keeps ? [`if secrets <> '' and tg_op <> 'DELETE' then${adding('personal', personal)}\n  end if;`] : []),
  ].join('\n  ')}
  return null;
end `
}

const adding = (setting: string, more: string, turn = '') => `
  known := current_setting('stoa.${setting}', true);${turn}
  known := set_config('stoa.${setting}', concat_ws(',', nullif(known, ''), ${more}), true);`

/** A setting is copied whenever something is added. Pages keep a statement of many rows linear. */
const turnPage = `
  if octet_length(known) > 8000 then
    perform turn_audit_page();
    known := null;
  end if;`

/** Identifies the record of a row. */
const identify = (table: AuditedTable, side: string) => `
    whose := concat('{"store":', to_json(${side}.${findStoreColumn(table)}), ',"id":', to_json(${side}.${table.key}));
    record := ${side}.${table.key};`

/** The body for an inserted or deleted row. */
function bodyOfRow(table: AuditedTable, side: 'new' | 'old'): string {
  const { open, secret } = splitAuditedColumns(table)
  const [present, missing, secretly, missingSecretly] =
    side === 'new'
      ? ['becomes', 'was', 'secretly_becomes', 'secretly_was']
      : ['was', 'becomes', 'secretly_was', 'secretly_becomes']
  const keptCells = table.keeps ? [`${secretly} := ${cells(side, secret)};`, `${missingSecretly} := 'null';`] : []
  return [
    identify(table, side),
    `${present} := ${cells(side, open)};`,
    `${missing} := 'null';`,
    ...secret.map((name) => `if ${side}.${name} is not null then secrets := secrets || ',"${name}"'; end if;`),
    ...keptCells,
  ].join('\n    ')
}

/** The body for an updated row: only the columns that differ. */
function bodyOfUpdate(table: AuditedTable): string {
  const { open, secret } = splitAuditedColumns(table)
  const ownerCells = table.owners.map((name) => `',"${name}":' || to_json(new.${name}) || `).join('')
  const closeObject = (text: string, more = '') => `${text} := '{' || substr(${more}${text}, 2) || '}';`
  return (
    [
      '',
      ...open.map((name) =>
        comparison(table, name, [cellAdded('was', 'old', name), cellAdded('becomes', 'new', name)]),
      ),
      ...secret.map((name) =>
        comparison(table, name, [
          `secrets := secrets || ',"${name}"';`,
          ...(table.keeps ? [cellAdded('secretly_was', 'old', name), cellAdded('secretly_becomes', 'new', name)] : []),
        ]),
      ),
      `if was = '' and secrets = '' then return null; end if;`,
      ...['was', 'becomes'].map((text) => closeObject(text, ownerCells)),
      ...(table.keeps ? ['secretly_was', 'secretly_becomes'].map((text) => closeObject(text)) : []),
    ].join('\n    ') + identify(table, 'new')
  )
}

function comparison({ columns }: AuditedTable, name: string, then: string[]): string {
  // The type json has no equality.
  const cast = columns.some((column) => column.name === name && column.type === 'json') ? '::text' : ''
  return `if new.${name}${cast} is distinct from old.${name}${cast} then ${then.join(' ')} end if;`
}

const cellAdded = (text: string, side: string, name: string) =>
  `${text} := concat(${text}, ',"${name}":', coalesce(to_json(${side}.${name})::text, 'null'));`

// The maximum number of pairs of json_build_object.
const atOnce = 50

/** The columns of a row as one JSON object. */
function cells(side: string, names: string[]): string {
  const parts = Array.from({ length: Math.ceil(names.length / atOnce) }, (_, at) =>
    names
      .slice(at * atOnce, (at + 1) * atOnce)
      .map((name) => `'${name}', ${side}.${name}`)
      .join(', '),
  )
  if (parts.length === 0) return `'{}'`
  return parts
    .map((part) => `json_build_object(${part})::text`)
    .reduce((all, more) => `left(${all}, -1) || ',' || substr(${more}, 2)`)
}

// A store's own row has no store_id.
const findStoreColumn = ({ columns }: AuditedTable) =>
  columns.some(({ name }) => name === 'store_id') ? 'store_id' : 'id'

function splitAuditedColumns({ columns, hidden, private: secret }: AuditedTable): { open: string[]; secret: string[] } {
  const visible = columns.map(({ name }) => name).filter((name) => !hidden.includes(name))
  return {
    open: visible.filter((name) => !secret.includes(name)),
    secret: visible.filter((name) => secret.includes(name)),
  }
}
