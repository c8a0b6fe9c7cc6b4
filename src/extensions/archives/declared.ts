// The rows of an archive, read by the declarations of their resources: a value that a body may set is read like one in
// a body, and the others have the form that they have in responses.
import type pg from 'pg'
import { responseSchema } from '../../kit/declare/composites.ts'
import type { FieldSpec, ReadContext } from '../../kit/declare/field.ts'
import { InvalidValue } from '../../kit/declare/invalidvalue.ts'
import { listFieldNames } from '../../kit/declare/row.ts'
import { schemaFaults } from '../../kit/declare/schema.ts'
import { movedTables, tables } from '../../developer/tables.ts'

export const declaredTables = tables.filter(
  ({ name, fields }) => movedTables.includes(name) && Object.keys(fields).length > 0,
)

/** The first value of the store that its field does not allow, as table and column. */
export async function refusedValue(
  client: pg.Client,
  storeId: string,
  names: readonly string[] = movedTables,
): Promise<string | null> {
  const { rows } = await client.query<ReadContext>(
    'select currency, timezone, country_code, translated from stores where id = $1',
    [storeId],
  )
  for (const { name: table, fields } of declaredTables.filter(({ name }) => names.includes(name))) {
    const columns = await listTableColumns(client, table)
    const names = listFieldNames(fields, ({ expression, children }) => !expression && !children)
    const checks = names.filter((name) => columns.has(name)).map((name) => buildColumnCheck(name, fields[name]!.spec))
    const fault = await firstRefused(client, { table, storeId, checks, context: rows[0]! })
    if (fault) return `${table}.${fault}`
  }
  return null
}

async function listTableColumns(client: pg.Client, table: string): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [table],
  )
  return new Set(rows.map(({ name }) => name))
}

type ColumnCheck = { name: string; selected: string; allows(text: string, context: ReadContext): boolean }

function buildColumnCheck(name: string, spec: FieldSpec): ColumnCheck {
  const input = spec.role === 'readonly' ? null : (spec.input?.spec ?? spec)
  const listSpecFaults = schemaFaults(input ? input.schema : responseSchema({ ...spec, nullable: false }))
  return {
    name,
    selected: `(${spec.selectedBy ? `${spec.selectedBy}(${name})` : name})::text`,
    allows(text, context) {
      const value: unknown = JSON.parse(spec.write(text))
      return listSpecFaults(value).length === 0 && !(input?.read(value, context) instanceof InvalidValue)
    },
  }
}

type Rows = { table: string; storeId: string; checks: ColumnCheck[]; context: ReadContext }

const rowsAtOnce = 500

/** The first column with a value that is not allowed. */
async function firstRefused(client: pg.Client, { table, storeId, checks, context }: Rows): Promise<string | null> {
  const owner = table === 'stores' ? 'id' : 'store_id'
  const cells = checks.map(({ selected }) => selected).join(', ')
  await client.query(
    `declare archived no scroll cursor for
    select array[${cells}] as cells from ${table} where ${owner} = ${client.escapeLiteral(storeId)}`,
  )
  try {
    for (;;) {
      const { rows } = await client.query<{ cells: (string | null)[] }>(`fetch ${rowsAtOnce} from archived`)
      for (const row of rows) {
        const check = checks.find(({ allows }, index) => !isAllowed(row.cells[index]!, (text) => allows(text, context)))
        if (check) return check.name
      }
      if (rows.length < rowsAtOnce) return null
    }
  } finally {
    await client.query('close archived')
  }
}

/** A text that cannot even be read is not allowed. */
function isAllowed(cell: string | null, allows: (text: string) => boolean): boolean {
  try {
    return cell === null || allows(cell)
  } catch {
    return false
  }
}
