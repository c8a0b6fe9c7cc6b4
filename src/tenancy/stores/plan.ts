// A store's plan with its usage, as the API shows it.
import type { Db } from '../../kit/database/database.ts'
import { list, object } from '../../kit/declare/composites.ts'
import { resource, type Json } from '../../kit/declare/resource.ts'
import { json } from '../../kit/declare/route.ts'
import { choice, integer, text } from '../../kit/declare/scalars.ts'
import { features, findUsage, limitedNouns } from '../plans/plan.ts'
import type { Store } from './store.ts'

// prettier-ignore
export const planSchema = resource('plans', {
  id:       text().example('growth'),
  name:     text().example('Growth'),
  features: list(choice(features), { max: features.length }).describe('Features included in the plan'),
  usage:    list(object({
    resource: choice(limitedNouns).required(),
    used:     integer({ min: 0 }).required().example(12).describe('Number in use'),
    limit:    integer({ min: 0 }).nullable().required().example(50).describe('Maximum number; null if unlimited'),
  }), { max: limitedNouns.length }),
}, {}, { noun: 'Plan' }).entity

export async function findPlan(db: Db, store: Store): Promise<Json<object>> {
  const { id, name, features: planFeatures } = store.plan
  return json({ id, name, features: planFeatures, usage: await findUsage(db, store) })
}
