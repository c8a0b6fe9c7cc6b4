// One operation by every transport: its traces are in the audit log, in the log of requests and in the quota, whichever
// way it came. Merchants publish a product; shoppers begin a checkout.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/database/sql.ts'
import { publicId } from '../../src/kit/values/ids.ts'
import { callTool } from '../agents.ts'
import { client, type Answer } from '../client.ts'
import { productOf } from '../checkouts.ts'
import { dataOf } from '../shop.ts'
import { staffOf } from '../staff.ts'
import { lines, openUcpWorld } from '../ucp.ts'
import type { TestStore } from '../world.ts'

const world = await openUcpWorld()
const { db, requestLog } = world.app
const agentHost = new URL(world.host.url).host
const unknown = publicId('prod', '01912d68-783e-7a03-8467-5661c1243ad4')

/** One call of an operation; the ID is of the product. */
type Send = (id: string) => Promise<string>
type Open = (shop: TestStore) => Promise<{ send: Send; countUsed: () => Promise<number> }>

type Transport = {
  open: Open
  /** Outcomes of a call, and of one for a product that does not exist. */
  answers: { done: string; refused: string }
  /** Its entries of the audit log: operation and kind of the actor. */
  audit: string[]
  /** Rows of the log: route, tool, agent, credential, status and code, and whether it knows the statements. */
  log: { done: string[]; refused: string[] }
  /** Requests that both calls count as, if not one each. */
  used?: number
}

const remaining = ({ headers }: Pick<Answer, 'headers'>) => Number(headers.get('x-ratelimit-remaining'))
const outcome = ({ status, error }: Answer) => [status, error?.code].filter(Boolean).join(' ')

/** `ask` reads the quota, and counts itself. */
async function meter(ask: () => Promise<Pick<Answer, 'headers'>>): Promise<() => Promise<number>> {
  const before = remaining(await ask())
  return async () => before - remaining(await ask()) - 1
}

async function withKey(shop: TestStore, sending: (key: Answer['data']) => Promise<Send>): ReturnType<Open> {
  const api = await shop.withKey({})
  const send = await sending(api)
  return { send, countUsed: await meter(() => api.get('/v1/products')) }
}

function shopperAt(address: string, shop: TestStore) {
  const http = client(world.url, { 'x-forwarded-for': address })
  return { http, countUsed: () => meter(() => http.get(`/storefront/${shop.store.slug}`)) }
}

const draft = { product_status: 'active' }
const product = '/v1/products/{id}'

const transports: Record<string, Transport> = {
  'the API': {
    open: (shop) => withKey(shop, async (api) => async (id) => outcome(await api.patch(`/v1/products/${id}`, draft))),
    answers: { done: '200', refused: '404 NOT_FOUND' },
    audit: ['updateProduct key'],
    log: { done: [`${product} key 200 traced`], refused: [`${product} key 404 NOT_FOUND traced`] },
  },
  'a tool of MCP': {
    open: (shop) =>
      withKey(shop, async ({ key }) => async (product_id) => {
        const { error } = await callTool(world.url, key, 'update_product', { product_id, ...draft })
        return error?.code ?? 'done'
      }),
    answers: { done: 'done', refused: 'NOT_FOUND' },
    audit: ['updateProduct key'],
    log: {
      done: [`${product} update_product key 200 traced`],
      refused: [`${product} update_product key 404 NOT_FOUND traced`],
    },
  },
  'a form of the dashboard': {
    async open(shop) {
      const { post, cookie } = await staffOf(world, [shop])
      const http = client(world.url, { cookie })
      return {
        send: async (id) => String((await post(`/${shop.store.id}/products/${id}`, { act: 'activate' })).status),
        countUsed: await meter(() => http.get(`/oauth/portal/api/stores/${shop.store.id}/team`)),
      }
    },
    answers: { done: '303', refused: '404' },
    audit: ['POST /dashboard/:store/products/:id user'],
    log: { done: [], refused: [] },
  },
  'an approved proposal': {
    open: (shop) =>
      withKey(shop, async (api) => async (id) => {
        const proposed = await api.post('/v1/proposals', { method: 'PATCH', path: `/v1/products/${id}`, body: draft })
        return proposed.error ? outcome(proposed) : outcome(await api.post(`/v1/proposals/${proposed.data.id}/approve`))
      }),
    answers: { done: '200', refused: '404 NOT_FOUND' },
    audit: ['updateProduct key'],
    log: {
      done: ['/v1/proposals key 201 traced', '/v1/proposals/{id}/approve key 200 traced'],
      refused: ['/v1/proposals key 404 NOT_FOUND traced'],
    },
    used: 3,
  },
  'the storefront API': {
    async open(shop) {
      const { http, countUsed } = shopperAt('10.200.0.1', shop)
      const path = `/storefront/${shop.store.slug}/checkouts`
      return {
        send: async (product_id) => outcome(await http.post(path, { items: [{ product_id, quantity: 1 }] })),
        countUsed: await countUsed(),
      }
    },
    answers: { done: '201', refused: '422 VALIDATION_ERROR' },
    audit: [],
    log: {
      done: ['/storefront/{slug}/checkouts 201 traced'],
      refused: ['/storefront/{slug}/checkouts 422 VALIDATION_ERROR traced'],
    },
  },
  ...Object.fromEntries(
    (['rest', 'mcp'] as const).map((transport, index) => [
      `a shopper's agent by ${transport}`,
      {
        async open(shop) {
          const address = `10.201.0.${index + 1}`
          const agent = world.agent(await world.domainOf(shop), { transport, address })
          const send: Send = async (id) => {
            const { status, body } = await agent.call('create_cart', { body: { line_items: lines(id) } })
            return [status, body.messages?.[0].code].filter(Boolean).join(' ')
          }
          return { send, countUsed: await shopperAt(address, shop).countUsed() }
        },
        answers:
          transport === 'rest'
            ? { done: '201', refused: '200 item_unavailable' }
            : { done: '200', refused: '200 item_unavailable' },
        audit: [],
        log:
          transport === 'rest'
            ? { done: [`/ucp/carts ${agentHost} 201 traced`], refused: [`/ucp/carts ${agentHost} 200 traced`] }
            : {
                done: [`/ucp/mcp create_cart ${agentHost} 200 traced`],
                refused: [`/ucp/mcp create_cart ${agentHost} 200 traced`],
              },
      } satisfies Transport,
    ]),
  ),
}

for (const [name, { open, answers, audit, log, used = 2 }] of Object.entries(transports)) {
  test(`${name}: a call is audited, logged and counted, and a refused one too`, async () => {
    const shop = await world.newStore()
    const { id } = await productOf(shop)
    const isOfShopper = audit.length === 0
    if (!isOfShopper) dataOf(await shop.api.patch(`/v1/products/${id}`, { product_status: 'draft' }), 200)
    const { send, countUsed } = await open(shop)
    const logged = await watchLog(shop)
    const audited = await watchAudit(shop)

    assert.equal(await send(id), answers.done)
    assert.deepEqual(await audited(), audit)
    assert.deepEqual(await logged(), log.done)
    if (!isOfShopper) {
      assert.equal((await shop.api.get(`/v1/products/${id}`)).data.product_status, 'active')
    }

    assert.equal(await send(unknown), answers.refused)
    assert.deepEqual(await audited(), [], 'what is refused changes nothing')
    assert.deepEqual(await logged(), log.refused)
    assert.equal(await countUsed(), used)
  })
}

/** Rows of writes that are new since the last look. */
async function watchLog({ store }: TestStore): Promise<() => Promise<string[]>> {
  const seen = new Set<string>()
  const look = async () => {
    await requestLog!.flush()
    const rows = await db.rows<Record<string, string | null> & { id: string }>(sql`
      select id, route, tool, agent, case when credential is null then null else 'key' end as credential, status, code,
        case when trace is null then null else 'traced' end as trace
      from requests
      where store_id = ${store.id}
        and method <> 'GET'
      order by created_at, id`)
    const fresh = rows.filter(({ id }) => !seen.has(id))
    for (const { id } of fresh) seen.add(id)
    return fresh.map(({ id: _, ...row }) =>
      Object.values(row)
        .filter((value) => value !== null)
        .join(' '),
    )
  }
  await look()
  return look
}

/** Entries that are new since the last look. */
async function watchAudit({ store }: TestStore): Promise<() => Promise<string[]>> {
  const seen = new Set<string>()
  const look = async () => {
    const rows = await db.rows<{ id: string; entry: string }>(sql`
      select id, operation || ' ' || actor_kind as entry
      from audit_log
      where store_id = ${store.id}
      order by created_at, id`)
    const fresh = rows.filter(({ id }) => !seen.has(id))
    for (const { id } of fresh) seen.add(id)
    return fresh.map(({ entry }) => entry)
  }
  await look()
  return look
}
