// The audit log's names for the records of each table, and the declarations that show them.
import type { AnyField } from '../../kit/declare/field.ts'
import type { AnyResource } from '../../kit/declare/resource.ts'
import type { Undo } from '../../tenancy/tables/table.ts'
import { tables } from '../tables.ts'

type Noun = {
  table: string
  name: string
  fields: Readonly<Record<string, AnyField>>
  prefix: AnyResource['prefix']
  /** The noun in `read:` and `write:` scopes that cover such a record. */
  scope: string
}

const nouns: Noun[] = tables.flatMap(({ name: table, fields, prefix, store }) => {
  const audit = store?.audit
  if (!audit || typeof audit === 'string') return []
  return [{ table, name: audit.noun, fields, prefix: prefix ?? audit.prefix ?? null, scope: audit.scope ?? 'store' }]
})

export const nounNames = nouns.map(({ name }) => name)

export function getScopeNoun(name: string): string {
  return nouns.find((noun) => noun.name === name)?.scope ?? 'store'
}

export function getTableNoun(table: string): Noun {
  return nouns.find((noun) => noun.table === table) ?? { table, name: table, fields: {}, prefix: null, scope: 'store' }
}

export function getNounTable(name: string): string | undefined {
  return nouns.find((noun) => noun.name === name)?.table
}

/** How a change of each table is undone, by table. */
export const undos: Readonly<Record<string, Undo>> = Object.fromEntries(
  tables.flatMap(({ name, store }) =>
    store && typeof store.audit !== 'string' && store.audit.undo ? [[name, store.audit.undo]] : [],
  ),
)
