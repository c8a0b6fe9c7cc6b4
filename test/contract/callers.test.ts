// The checks of a call, in their order, for each of the five that make calls. Every request here offends against one
// check and all the later ones together, so that the first is the one that answers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/database/sql.ts'
import { publicId } from '../../src/kit/values/ids.ts'
import { hashSecret } from '../../src/kit/values/secrets.ts'
import { formatLocalTime } from '../../src/kit/values/timezone.ts'
import type { Actor } from '../../src/kit/values/actor.ts'
import { userActor } from '../../src/identity/accounts/user.ts'
import { findKey } from '../../src/identity/apikeys/operations.ts'
import { scopes } from '../../src/identity/apikeys/scopes.ts'
import { setPlan, setStatus } from '../../src/tenancy/stores/operations.ts'
import { callTool } from '../agents.ts'
import { dataOf } from '../shop.ts'
import { siteUrl, staffOf, type Shown, type Staff } from '../staff.ts'
import { openWorld, type TestStore } from '../world.ts'
import type { Answer } from '../client.ts'

// prettier-ignore
const checks = {
  scope:     'the credential, or the role, may do this',
  feature:   'the plan includes it',
  status:    'the store is not suspended',
  body:      'the body is valid',
  id:        'the address has an id',
  hours:     'the policy of the credential allows it at this hour',
  key:       'the idempotency key has not been used for something else',
  version:   'the record is as the caller has seen it',
  operation: 'what the body names exists',
  count:     'the policy of the credential allows one more',
}
type Check = keyof typeof checks

type Caller = {
  /** The same order as above, but for what `differs`. */
  order: Check[]
  differs?: Partial<Record<Check, string>>
  /** Checks that it does not have, and why. */
  lacks: Partial<Record<Check, string>>
  /** The answer of each check. */
  answers: Partial<Record<Check | 'none', string>>
  send(offends: (check: Check) => boolean): Promise<string>
}

const unknownId = '01912d68-783e-7a03-8467-5661c1243ad4'
const people = 'policies are of keys and tokens; people have roles'

const callers: Record<string, Caller> = {
  'a request': {
    order: ['scope', 'feature', 'status', 'body', 'id', 'hours', 'key', 'version', 'operation', 'count'],
    lacks: {},
    answers: {
      scope: '403 SCOPE_INSUFFICIENT',
      feature: '403 FEATURE_ACCESS_DENIED order_bumps',
      status: '403 FEATURE_ACCESS_DENIED store_active',
      body: '422 VALIDATION_ERROR price',
      id: '404 NOT_FOUND',
      hours: '403 POLICY_EXCEEDED until_hour',
      key: '422 VALIDATION_ERROR Idempotency-Key',
      version: '412 PRECONDITION_FAILED',
      operation: '422 VALIDATION_ERROR product_id',
      count: '403 POLICY_EXCEEDED max_per_hour',
      none: '200',
    },
    async send(offends) {
      const { shop, path, body } = callFor(offends)
      const api = await keyFor(shop, offends, 'write:store')
      return outcomeOf(await api.patch(`/v1${path}`, body, { headers: headersFor(offends) }))
    },
  },

  'a proposal': {
    order: ['status', 'scope', 'feature', 'body', 'id', 'version', 'operation'],
    differs: { status: 'a suspended store takes no proposals, whatever they propose' },
    lacks: {
      hours: 'a proposal writes nothing: the policy is that of whoever approves it',
      key: 'the idempotency key is that of POST /v1/proposals',
      count: 'a proposal writes nothing: the policy is that of whoever approves it',
    },
    answers: {
      scope: '403 SCOPE_INSUFFICIENT',
      feature: '403 FEATURE_ACCESS_DENIED order_bumps',
      status: '403 FEATURE_ACCESS_DENIED store_active',
      body: '422 VALIDATION_ERROR price',
      id: '404 NOT_FOUND',
      version: '412 PRECONDITION_FAILED',
      operation: '422 VALIDATION_ERROR product_id',
      none: '201',
    },
    async send(offends) {
      const { shop, path, body } = callFor(offends)
      const api = await keyFor(shop, offends, 'propose:store')
      const { 'if-match': if_match = null } = headersFor(offends)
      return outcomeOf(await api.post('/v1/proposals', { method: 'PATCH', path: `/v1${path}`, body, if_match }))
    },
  },

  'a tool of MCP': {
    order: ['scope', 'status', 'feature', 'body', 'id', 'hours', 'key', 'operation', 'count'],
    differs: { feature: 'what a product needs of the plan is in its body, which is read later' },
    lacks: { version: 'no tool takes an entity tag' },
    answers: {
      scope: 'SCOPE_INSUFFICIENT',
      feature: 'FEATURE_ACCESS_DENIED inventory',
      status: 'FEATURE_ACCESS_DENIED store_active',
      body: 'VALIDATION_ERROR price',
      id: 'NOT_FOUND',
      hours: 'POLICY_EXCEEDED until_hour',
      key: 'VALIDATION_ERROR idempotency_key',
      operation: 'VALIDATION_ERROR category_id',
      count: 'POLICY_EXCEEDED max_per_hour',
      none: 'done',
    },
    async send(offends) {
      const { shop } = callFor(offends)
      const { key } = await keyFor(shop, offends, 'propose:products')
      const { error } = await callTool(world.url, key, 'update_product', {
        product_id: offends('id') ? 'none' : shop.product,
        price: offends('body') ? -1 : 3,
        track_inventory: true,
        ...(offends('operation') ? { category_id: publicId('cat', unknownId) } : {}),
        idempotency_key: offends('key') ? 'used' : 'fresh',
      })
      return error ? outcomeOf({ status: 0, error }) : 'done'
    },
  },

  'a form of the dashboard': {
    order: ['id', 'scope', 'feature', 'status', 'body', 'key', 'version', 'operation'],
    differs: { id: 'a screen of something that has no id does not exist, so it has no form' },
    lacks: { hours: people, count: people },
    answers: {
      id: '404 Page not found',
      scope: '403 Your role doesn’t allow this.',
      feature: '403 Your plan doesn’t include this.',
      status: '403 This store is suspended. You can view it, but you can’t change anything.',
      body: '422 Enter at least 0.',
      key: '422 Check this value.',
      version: '412 Someone else edited this while you were working. Review the highlighted fields, then save again.',
      operation: '422 We couldn’t find this. Check the spelling or choose another.',
      none: '303',
    },
    async send(offends) {
      const { shop, path, body } = callFor(offends)
      const who = shop[offends('scope') ? 'clerk' : 'owner']
      if (offends('key')) await useKey(shop, userActor(who.userId), 'form used')
      const once = offends('key') ? 'used' : 'fresh'
      const form = {
        act: 'save',
        ...body,
        price: String(body.price),
        once,
        version: headersFor(offends)['if-match'] ?? '',
      }
      const screen = path.replace('/store/order-bumps', '/settings/checkout/bumps')
      return noticeOf(await who.post(`/${shop.store.id}${screen}`, form))
    },
  },

  'the account API': {
    order: ['scope', 'status', 'body', 'operation'],
    lacks: {
      feature: 'no plan leaves out the team',
      id: 'its ids are looked up by the operation',
      hours: people,
      key: 'kept answers are those of stores, and these are for people',
      version: 'none of its records has an entity tag to compare',
      count: people,
    },
    answers: {
      scope: '403 SCOPE_INSUFFICIENT',
      status: '403 FEATURE_ACCESS_DENIED store_active',
      body: '422 VALIDATION_ERROR role',
      operation: '409 CONFLICT',
      none: '201',
    },
    async send(offends) {
      const { shop } = callFor(offends)
      const { cookie } = shop[offends('scope') ? 'clerk' : 'owner']
      const email = offends('operation') ? shop.member : 'new@example.com'
      const answer = await fetch(`${world.url}/oauth/portal/api/stores/${shop.store.id}/team`, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json', origin: siteUrl, 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify({ email, role: offends('body') ? 'king' : 'staff' }),
      })
      return outcomeOf({ status: answer.status, error: ((await answer.json()) as Answer).error })
    },
  },
}

const world = await openWorld()
const { db } = world.app

type Shop = TestStore & { bump: string; product: string; member: string; owner: Staff; clerk: Staff }
const shops: Record<'open' | 'suspended' | 'plain' | 'plainSuspended', Shop> = {} as never

await db.rows(sql`
  insert into plans (id, name, limits, features) values ('bare', 'Bare', '{}', '{}') on conflict do nothing`)
for (const name of ['open', 'suspended', 'plain', 'plainSuspended'] as const) {
  const shop = await world.newStore()
  const bump = dataOf(await shop.api.post('/v1/store/order-bumps', { title: 'Gift', price: 2 }), 201).id
  const product = dataOf(await shop.api.post('/v1/products', { name: 'Mug', price: 2 }), 201).id
  const [owner, clerk] = [await staffOf(world, [shop]), await staffOf(world, [shop], 'staff')]
  const member = (await db.one<{ email: string }>(sql`select email from users where id = ${clerk.userId}`))!.email
  await db.transaction(async (tx) => {
    if (name.startsWith('plain')) await setPlan(tx, shop.store.id, 'bare')
    if (name.toLowerCase().includes('suspended')) await setStatus(tx, shop.store.id, 'suspended')
  })
  shops[name] = { ...shop, bump, product, member, owner, clerk }
}

for (const [name, { order, differs = {}, lacks, answers, send }] of Object.entries(callers)) {
  test(`${name} has every check, or says why not`, () => {
    assert.deepEqual([...order, ...Object.keys(lacks)].sort(), Object.keys(checks).sort())
    const usual = Object.keys(checks).filter((check) => order.includes(check as Check) && !(check in differs))
    assert.deepEqual(
      order.filter((check) => !(check in differs)),
      usual,
    )
  })
  for (const [index, check] of order.entries()) {
    test(`${name}: ${checks[check]}, before all that comes later`, async () => {
      const failing = new Set(order.slice(index))
      assert.equal(await send((other) => failing.has(other)), answers[check])
    })
  }
  test(`${name} that offends against nothing is carried out`, async () => {
    assert.equal(await send(() => false), answers.none)
  })
}

test('the account API counts a request before it looks at the role', async () => {
  const { store, clerk } = shops.open
  for (const [id, status] of [
    [store.id, 403],
    [shops.plain.store.id, 404],
  ] as const) {
    const answer = await fetch(`${world.url}/oauth/portal/api/stores/${id}/team`, {
      method: 'POST',
      headers: { cookie: clerk.cookie, 'content-type': 'application/json', origin: siteUrl },
      body: JSON.stringify({ email: 'new@example.com', role: 'staff' }),
    })
    assert.equal(answer.status, status)
    assert.ok(answer.headers.get('x-ratelimit-remaining'))
  }
})

type Offends = (check: Check) => boolean

function callFor(offends: Offends) {
  const shop =
    shops[
      offends('feature') ? (offends('status') ? 'plainSuspended' : 'plain') : offends('status') ? 'suspended' : 'open'
    ]
  const path = `/store/order-bumps/${offends('id') ? 'none' : shop.bump}`
  const body = {
    title: 'Gift wrapping',
    price: offends('body') ? -1 : 3,
    ...(offends('operation') ? { product_id: publicId('prod', unknownId) } : {}),
  }
  return { shop, path, body }
}

function headersFor(offends: Offends): Record<string, string> {
  return {
    'idempotency-key': offends('key') ? 'used' : 'fresh',
    ...(offends('version') ? { 'if-match': '"other"' } : {}),
  }
}

async function keyFor(shop: Shop, offends: Offends, scope: string) {
  const hour = world.clock.now().getUTCHours()
  const wanted = offends('scope')
    ? scopes.filter((other) => other !== scope && other !== scope.replace('propose', 'write'))
    : [...scopes]
  const policy = {
    ...(offends('hours') ? { from_hour: (hour + 22) % 24, until_hour: hour } : {}),
    ...(offends('count') ? { max_per_hour: 1 } : {}),
  }
  const api = await shop.withKey({ scopes: wanted, policy })
  const { key_id } = (await findKey(db, hashSecret(api.key)))!
  const actor = { kind: 'key', id: publicId('key', key_id) } as const
  if (offends('count')) await useHour(shop, actor)
  if (offends('key')) await useKey(shop, actor, 'used')
  return api
}

type Holder = Pick<Actor, 'kind' | 'id'>

async function useHour({ store }: Shop, { id }: Holder): Promise<void> {
  const now = formatLocalTime(world.clock.now(), store.timezone)
  await db.rows(sql`
    insert into policy_uses (store_id, holder, hour, in_hour, day, in_day)
    values (${store.id}, ${id}, ${now.slice(0, 13)}, 1, ${now.slice(0, 10)}, 1)`)
}

async function useKey({ store }: Shop, { kind, id }: Holder, key: string): Promise<void> {
  await db.rows(sql`
    insert into idempotency_keys (store_id, credential, key, fingerprint, status, body, created_at)
    values (${store.id}, ${`${kind}:${id}`}, ${key}, ${Buffer.from('another')}, 200, 'sealed', ${world.clock.now()})
    on conflict do nothing`)
}

function outcomeOf({ status, error }: Pick<Answer, 'status' | 'error'>): string {
  if (!error) return String(status)
  const { code, details } = error
  const about = Array.isArray(details) ? details[0].field : (details?.feature ?? details?.policy)
  return [status, code, about].filter(Boolean).join(' ')
}

function noticeOf({ status, text }: Shown): string {
  const notices = [...text.matchAll(/<(?:h1|p class="notice error" role="alert")[^>]*>([^<]+)</g)].map(([, one]) => one)
  return [status, notices.at(-1)].filter(Boolean).join(' ')
}
