// The tables that a transaction writes, and their stores. On a distributed database only the servers with the rows
// know what has changed; each statement that writes them names its store by a constant.
import { storeIdForm } from '../values/ids.ts'
import type { Statement } from './sql.ts'

export type WrittenRows = { table: string; storeIds: readonly string[] }

const targets = /\b(?:insert into|update|delete from) (\w+)/g

/** Lists the writes of a statement: one entry for each table that it declares as written. */
export function writtenBy({ text, values }: Statement): WrittenRows[] {
  const tables = new Set([...text.matchAll(targets)].map(([, table]) => table!))
  if (tables.size === 0) return []
  const storeIds = values.flat().filter((value) => typeof value === 'string' && storeIdForm.test(value)) as string[]
  return [...tables].map((table) => ({ table, storeIds }))
}
