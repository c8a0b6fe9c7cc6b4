// Brings each table of a Citus coordinator to its place (placement.ts): an empty or filled database becomes a
// distributed one, and the tables of a later migration follow (docs/decisions/0015-distribution.md).
import type pg from 'pg'
import type { Placement } from '../placement.ts'
import { first, misplacedTables, type TablePlace } from './tables.ts'

/** In the transaction of `client`, of which nothing remains if it fails. Returns the tables that it moved. */
export async function distribute(client: pg.Client, placement: Placement): Promise<string[]> {
  await client.query(`set local client_min_messages = 'warning'`)
  await distributeFunctions(client)
  const tables = await misplacedTables(client, placement)
  if (tables.length === 0) return []
  const definitions = [
    ...(await listForeignKeysToMove(client, tables, placement)),
    ...(await listTriggersToMove(client, tables)),
  ]
  for (const { removal } of definitions) await client.query(removal)
  for (const table of tables) await move(client, table)
  for (const { creation } of definitions) await client.query(creation)
  return tables.map((table) => table.name)
}

/** In one transaction, statements on tables that refer to each other cannot use several connections to a node. */
export async function beginSequential(client: pg.Client): Promise<void> {
  await client.query('begin')
  await client.query(`set local citus.multi_shard_modify_mode = 'sequential'`)
}

/** Functions older than the extension exist on the coordinator only. Each comes after those that it calls. */
async function distributeFunctions(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ signature: string }>(`
    select oid::regprocedure::text as signature
    from pg_proc
    where pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
      and not exists (select from pg_dist_object where classid = 'pg_proc'::regclass and objid = pg_proc.oid)
    order by oid`)
  for (const { signature } of rows) {
    await client.query(`select create_distributed_function($1::text::regprocedure)`, [signature])
  }
}

async function move(client: pg.Client, misplaced: TablePlace): Promise<void> {
  const { name: table, place } = misplaced
  if (needsReturn(misplaced)) await client.query('select undistribute_table($1::text::regclass)', [table])
  if (place === 'unregistered') return
  const together = table === first ? '' : `, colocate_with => '${first}'`
  const moves = {
    reference: 'create_reference_table($1::text::regclass)',
    distributed: `create_distributed_table($1::text::regclass, 'store_id'${together})`,
    // One that refers to a reference table became known with that.
    local: `citus_add_local_table_to_metadata(oid) from pg_class where oid = $1::text::regclass
      and not exists (select from pg_dist_partition where logicalrelid = oid)`,
  }
  await client.query(`select ${moves[place]}`, [table])
}

/** A local table is moved as it is. */
const needsReturn = ({ actual, place }: TablePlace) =>
  actual !== null && (actual !== 'local' || place === 'unregistered')

type Definition = { removal: string; creation: string }

/**
 * A table of stores cannot refer to one that is not distributed yet, or be referred to by one. Keys to reference tables
 * stay: those are moved first.
 */
async function listForeignKeysToMove(
  client: pg.Client,
  tables: TablePlace[],
  placement: Placement,
): Promise<Definition[]> {
  const { rows } = await client.query<Definition>(
    `
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as removal,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as creation
    from pg_constraint
    where contype = 'f'
      and conparentid = 0
      and ((confrelid::regclass::text = any($1)
          and (conrelid::regclass::text = any($2) or confrelid::regclass::text = any($2)))
        or conrelid::regclass::text = any($3)
        or confrelid::regclass::text = any($3))
    order by conrelid::regclass::text, conname`,
    [
      Object.keys(placement).filter((table) => placement[table] === 'distributed'),
      tables.filter(({ place }) => place === 'distributed').map((table) => table.name),
      tables.filter(needsReturn).map((table) => table.name),
    ],
  )
  return rows
}

/** The triggers of a new shard would fire for the rows that are copied to it. */
async function listTriggersToMove(client: pg.Client, tables: TablePlace[]): Promise<Definition[]> {
  const { rows } = await client.query<Definition>(
    `
    select format('drop trigger %I on %s', tgname, tgrelid::regclass) as removal, pg_get_triggerdef(oid) as creation
    from pg_trigger
    where not tgisinternal
      and tgparentid = 0
      and tgrelid::regclass::text = any($1)
    order by tgrelid::regclass::text, tgname`,
    [tables.filter(({ place }) => place !== 'local').map((table) => table.name)],
  )
  return rows
}
