// An import is read with the scope of the records that its rows describe.
import type { Db } from '../../../kit/database/database.ts'
import { sql, type Sql } from '../../../kit/database/sql.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import type { Entity } from '../../../kit/declare/field.ts'
import type { RecordOf } from '../../../kit/declare/resource.ts'
import type { Actor } from '../../../kit/declare/route.ts'
import { missingScope } from '../../../tenancy/dispatch/errors.ts'
import { importJob } from './import.ts'
import { kinds, getImportReadScope } from './sources/source.ts'

export type ImportReader = { scopes: ReadonlySet<string>; actor?: Pick<Actor, 'kind'> }

/** Restricts imports to the kinds that the scopes can read. */
export function isReadable({ scopes }: ImportReader): Sql {
  return sql`imports.kind = any(${kinds.filter((kind) => scopes.has(getImportReadScope(kind)))}::text[])`
}

export async function findImport(
  db: Db,
  storeId: string,
  id: string,
  { scopes, actor }: ImportReader,
): Promise<RecordOf<Entity<typeof importJob.fields>>> {
  const record = await findRecord(db, importJob, storeId, id)
  const scope = getImportReadScope(record.entity.kind)
  if (!scopes.has(scope)) throw missingScope(scope, { isToken: actor?.kind === 'client' })
  return record
}
