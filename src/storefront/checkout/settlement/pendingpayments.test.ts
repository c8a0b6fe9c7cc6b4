import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDatabase } from '../../../../test/database.ts'
import { openDatabase } from '../../../kit/database/open.ts'
import { raw, sql } from '../../../kit/database/sql.ts'
import { systemClock } from '../../../kit/values/clock.ts'
import { pendingPaymentJobs } from './pendingpayments.ts'

test('the due payments of one store do not hold up those of another', async (t) => {
  const db = openDatabase({ url: await newDatabase(t), clock: systemClock })
  t.after(() => db.close())
  await db.transaction(async (tx) => {
    await tx.rows(raw('set local session_replication_role = replica'))
    await tx.rows(sql`
      insert into payment_sessions (store_id, id, provider, status, purpose, amount, currency, look_at, recheck_at,
        created_at, updated_at)
      select store_id, uuidv7(), 'sandbox', 'captured', 'order', 1, 'EUR', due, due, now(), now()
      from (
        select 'busy' as store_id, now() - interval '1 hour' as due from generate_series(1, 500)
        union all
        select 'quiet', now() - interval '1 minute') as sessions`)
  })
  for (const job of pendingPaymentJobs(db, {} as never, {} as never)) {
    const column = raw(job.name === 'look at payments' ? 'look_at' : 'recheck_at')
    await db.transaction(async (tx) => void (await job.run(tx)))
    const claimed = await db.rows<{ store_id: string; count: number }>(sql`
      select store_id, count(*)::int as count
      from payment_sessions
      where ${column} > ${new Date()}
      group by store_id
      order by store_id`)
    assert.deepEqual(claimed, [
      { store_id: 'busy', count: 19 },
      { store_id: 'quiet', count: 1 },
    ])
  }
})
