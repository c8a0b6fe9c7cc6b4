// What doctor says of payment providers.
import { sandboxUrlOf, type Config } from '../config.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'

export type DoctorFinding = { name: string; ok: boolean; detail: string }
export type RunQuery = <T>(query: Sql) => Promise<T[]>

/** Methods of the sandbox provider stay with it once they have taken payments. */
export async function sandboxFinding(runQuery: RunQuery, config: Config): Promise<DoctorFinding> {
  const name = 'card payments'
  const stores = await runQuery<{ store_id: string }>(sql`
    select distinct store_id
    from payment_methods
    where provider = 'sandbox'
    order by store_id
    limit 10`)
  if (stores.length === 0 || sandboxUrlOf(config) !== null)
    return { name, ok: true, detail: 'all providers are set up' }
  const ids = stores.map(({ store_id }) => store_id).join(', ')
  return { name, ok: false, detail: `the sandbox provider of ${ids} is not running. Set SANDBOX_PORT or SANDBOX_URL` }
}
