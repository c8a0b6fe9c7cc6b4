// What PostgreSQL's planner expects of the sizes of stores.
import type pg from 'pg'

/**
 * A statement has one plan for all stores, which is made for a store of average size: it would read all rows of a store
 * that has many. The fewer stores PostgreSQL believes in, the larger it takes them to be, up to the largest that it has
 * seen. Plans for a large store suit a small one. A distributed database makes a plan for each call instead.
 */
export async function planForLargeStores(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; is_filled: boolean }>(unset)
  for (const { name, is_filled } of rows) {
    await client.query(`alter table ${name} alter column store_id set (n_distinct = ${believedStores})`)
    if (is_filled) await client.query(`analyze ${name} (store_id)`)
  }
}

/** Of more than a quarter of a table, PostgreSQL would rather read the whole table. */
const believedStores = 4

// A partition has a day of all stores.
const unset = `
  select format('%I', tables.relname) as name, reltuples > 0 as is_filled
  from pg_class as tables
  join pg_attribute on attrelid = tables.oid
  where tables.relnamespace = current_schema()::regnamespace
    and tables.relkind = 'r'
    and not tables.relispartition
    and attname = 'store_id'
    and not attisdropped
    and attoptions is distinct from '{n_distinct=${believedStores}}'`
