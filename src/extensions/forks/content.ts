// The contents of a fork. People, keys, sessions, webhooks, logs and queues stay behind; data that is personal or
// would reach the outside world is replaced.
import type { Replacements } from '../../platform/postgres/storerows.ts'
import { replacingWith } from '../../tenancy/tables/masking.ts'
import { movedTables, tables } from '../../developer/tables.ts'

const copiedDeclarations = tables.filter(
  ({ name, store }) => movedTables.includes(name) && store!.unforked === undefined,
)

/** The tables whose rows of the store are copied. */
export const copiedTables: readonly string[] = copiedDeclarations.map(({ name }) => name)

/** Column replacements for a fork; `salt` is new for each. */
export function replacementsWith(salt: string): Replacements {
  const replacing = replacingWith(salt)
  return Object.fromEntries(
    copiedDeclarations.flatMap(({ name, store }) => (store!.replaced ? [[name, store!.replaced(replacing)]] : [])),
  )
}
