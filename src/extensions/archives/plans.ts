// The plan that an imported store gets: anyone who edits an archive can write any plan into it.
import type pg from 'pg'
import { isWithin, type Plan } from '../../tenancy/plans/plan.ts'

/** The operator's choice for this store, or the plan of new stores. */
export type PlanPolicy = { chosen: string } | { most: string }

/** The plan of the archive is kept if it gives no more than a new store has. */
export async function choosePlan(client: pg.Client, version: string, policy: PlanPolicy): Promise<string> {
  if ('chosen' in policy) return policy.chosen
  const { rows } = await client.query<Plan>('select id, name, limits, features from plans where id = any($1)', [
    [version, policy.most],
  ])
  const [own, most] = [version, policy.most].map((id) => rows.find((plan) => plan.id === id))
  return own && most && isWithin(own, most) ? version : policy.most
}
