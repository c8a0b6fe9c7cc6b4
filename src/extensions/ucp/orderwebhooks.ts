// Sends each order to the agent that placed it: the whole order, signed, to the webhook in the agent's profile
// (specification, "Order Event Webhook"). Retries until it is accepted, and merges changes meanwhile.
import { LRUCache } from 'lru-cache'
import type { Database } from '../../kit/database/database.ts'
import { measuredBy } from '../../kit/values/clock.ts'
import { doublingBackoff } from '../../kit/database/due.ts'
import { expiryRounds } from '../../kit/database/batches.ts'
import { sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import type { GuardedFetch } from '../../platform/outbound/fetch.ts'
import { dueJob } from '../../platform/process/duejob.ts'
import type { JobWork } from '../../platform/process/jobs.ts'
import type { Log } from '../../platform/process/log.ts'
import { signedHeaders } from '../../platform/signatures/sign.ts'
import { settleAgentOrder } from '../../tenancy/events/agentorders.ts'
import { loadStore } from '../../tenancy/stores/store.ts'
import type { ShopperDeps } from '../../storefront/checkout/routes.ts'
import { agentFinder, type Agent, type FindAgent } from './agent.ts'
import { orderJson } from './order.ts'
import { profilePath } from '../../storefront/shop/feeds/robots.ts'
import { Problem } from './problems.ts'
import { signingKey } from './signingkeys.ts'

type DueOrder = {
  store_id: string
  checkout_id: string
  order_id: string
  profile: string
  origin: string
  version: number
  changed_at: Date
}

export type OrderWebhookDeps = Pick<ShopperDeps, 'vault'> & { guardedFetch: GuardedFetch }
type Sending = {
  db: Database
  log: Log
  deps: OrderWebhookDeps
  findAgent: FindAgent
  isSilent: (url: string) => boolean
}

const timeoutMs = 10_000
const maxAnswerBytes = 1024
/** Pause for a receiver that did not answer, so that it does not delay the orders of others. */
const silenceMs = 30_000
const maxReceivers = 1000
const givenUpMs = 3 * 24 * 3600_000
const unplacedMs = 90 * 24 * 3600_000
const backoff = { firstSeconds: 20, maxSeconds: 3600 }

export function orderWebhookJobs(db: Database, log: Log, deps: OrderWebhookDeps): JobWork[] {
  const silent = new LRUCache<string, true>({ max: maxReceivers, ttl: silenceMs, ...measuredBy(db.clock) })
  const findAgent = agentFinder(deps.guardedFetch, db.clock)
  const telling = dueJob<DueOrder>(
    { db, log },
    {
      name: 'tell agents of orders',
      size: 50,
      queue: {
        table: 'agent_orders',
        key: 'checkout_id',
        due: 'due_at',
        claim: (now) => sql`due_at = ${doublingBackoff(now, backoff)}, tries = tries + 1`,
        returning: 'store_id, checkout_id, order_id, profile, origin, version, changed_at',
        turns: {},
      },
      work: async (ofJob, order) => {
        const sending = { db: ofJob, log, deps, findAgent, isSilent: (url: string) => silent.has(url) }
        const silentUrl = await tell(sending, order)
        if (silentUrl !== null) silent.set(silentUrl, true)
      },
    },
  )
  const purge: JobWork = {
    name: 'drop checkouts of agents',
    run: expiryRounds(500, {
      table: 'agent_orders',
      key: { store_id: 'text', checkout_id: 'uuid' },
      hasEnded: (now) => sql`order_id is null and created_at <= ${new Date(now.getTime() - unplacedMs)}`,
    }),
  }
  return [telling, purge]
}

/** Returns the URL of a receiver that did not answer; null if it did, or was not called. */
async function tell(sending: Sending, order: DueOrder): Promise<string | null> {
  const { db, log, deps } = sending
  const agent = await findOrderAgent(sending, order)
  if (!agent) return null
  const url = agent.webhookUrl
  const store = await loadStore(db, order.store_id)
  if (url === null || !agent.active.has('dev.ucp.shopping.order') || !store) return settle(db, order)
  if (sending.isSilent(url)) return null
  const own = { db: db.ofStore(store.id), store, deps, agent }
  const body = await orderJson(own, order.order_id, publicId('chk', order.checkout_id))
  const headers = await buildSignedHeaders(sending, order, { url, body })
  const lane = `agent ${url}`
  const answer = await deps.guardedFetch.post(url, { body, headers, lane, timeoutMs, maxResponseBytes: maxAnswerBytes })
  if (answer.ok && answer.status >= 200 && answer.status < 300) return settle(db, order)
  const outcome = answer.ok ? { status: answer.status } : { error: answer.error }
  log.debug({ store: store.id, order: publicId('ord', order.order_id), ...outcome }, 'an agent did not take its order')
  if (isOver(db, order) || (answer.ok && answer.status === 410)) return settle(db, order)
  return answer.ok ? null : url
}

/** Null if the agent's profile cannot be read now, or is gone. */
async function findOrderAgent({ db, findAgent }: Sending, order: DueOrder): Promise<Agent | null> {
  try {
    return await findAgent(order.profile)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return isOver(db, order) ? settle(db, order) : null
  }
}

async function buildSignedHeaders(
  { db, deps }: Sending,
  order: DueOrder,
  { url, body }: { url: string; body: string },
) {
  const { id: keyId, privateKey } = await signingKey(db, deps.vault)
  const headers = {
    'ucp-agent': `profile="${order.origin}${profilePath}"`,
    'content-type': 'application/json',
    'webhook-id': `${publicId('ord', order.order_id)}.${order.version}`,
    'webhook-timestamp': String(Math.floor(order.changed_at.getTime() / 1000)),
  }
  return signedHeaders({ method: 'POST', url, headers, body }, { keyId, privateKey, created: db.clock.now() })
}

function isOver(db: Database, { changed_at }: DueOrder): boolean {
  return changed_at.getTime() + givenUpMs <= db.clock.now().getTime()
}

async function settle(db: Database, { store_id, checkout_id, version }: DueOrder): Promise<null> {
  await db.ofStore(store_id).transaction(async (tx) => settleAgentOrder(tx, store_id, checkout_id, version))
  return null
}
