// Agents of shoppers, for tests: their profiles on a host of their own, and their calls by REST and MCP.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after } from 'node:test'
import { sql } from '../src/kit/database/sql.ts'
import { capabilityNames, newest, releases, type Release } from '../src/extensions/ucp/releases.ts'
import { operations } from '../src/extensions/ucp/operations.ts'
import { followStore } from '../src/tenancy/stores/followups.ts'
import { receiver, testAuthority, type Answer as Sent, type Receiver } from './receiver.ts'
import { assertSpecified } from './ucpshapes.ts'
import { openWorld, type Options, type TestStore, type World } from './world.ts'

export type UcpAnswer = { status: number; body: any; headers: Headers }

/** A call by one transport: `body` is the one of REST, and the argument of the tool. */
export type Agent = {
  profile: string
  call(name: string, given?: { id?: string; body?: unknown; key?: string | null }): Promise<UcpAnswer>
}

export type UcpWorld = World & {
  host: Receiver
  /** Puts a document on the agents' host, and answers its address. */
  publish(answer: Sent): string
  /** The address of a store, by a verified domain. */
  domainOf(shop: TestStore): Promise<string>
  profileOf(release?: Release, capabilities?: readonly string[]): string
  agent(domain: string, options?: AgentOptions): Agent
  http(domain: string, method: string, path: string, init?: HttpInit): Promise<UcpAnswer>
}

type HttpInit = { body?: unknown; headers?: Record<string, string> }
type Caller = { transport: 'rest' | 'mcp'; profile: string; address: string | undefined }
type AgentOptions = { transport?: 'rest' | 'mcp'; profile?: string; release?: Release; address?: string }

export async function openUcpWorld(environment: Record<string, string> = {}, options: Options = {}): Promise<UcpWorld> {
  const host = await receiver()
  after(host.close)
  const documents = new Map<string, Sent>()
  host.answer = ({ path }) => documents.get(path) ?? { status: 404 }
  const world = await openWorld(
    { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', ...environment },
    { network: { ca: testAuthority.ca }, ...options },
  )
  const publish = (answer: Sent) => {
    const path = `/agents/${documents.size + 1}.json`
    documents.set(path, answer)
    return host.url + path
  }
  const profileOf = (release: Release = newest, capabilities: readonly string[] = capabilityNames) =>
    publish({ body: JSON.stringify(platformProfile(release, capabilities)) })
  const known = new Map<Release, string>()
  const usual = (release: Release) => known.get(release) ?? known.set(release, profileOf(release)).get(release)!

  let agents = 0
  const http: UcpWorld['http'] = async (domain, method, path, { body, headers = {} } = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await fetch(world.url + path, {
      method,
      redirect: 'manual',
      headers: { 'x-forwarded-host': domain, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: text }),
    })
    const received = await answer.text()
    return { status: answer.status, body: received === '' ? undefined : JSON.parse(received), headers: answer.headers }
  }
  /** Of the releases in turns, unless it says of which. Every answer is as its release specifies. */
  const agent: UcpWorld['agent'] = (domain, { transport = 'rest', profile, release, address } = {}) => {
    const own = release ?? (profile ? newest : releases[agents % releases.length]!)
    const call = callerOf(domain, { transport, address, profile: profile ?? usual(own) })
    return {
      profile: call.profile,
      call: async (name, given) => {
        const answer = await call.call(name, given)
        assertSpecified(name, own, answer.status, answer.body)
        return answer
      },
    }
  }
  const callerOf = (domain: string, { transport, profile: who, address }: Caller): Agent => {
    const from = address ?? `10.1.${(++agents >> 8) & 255}.${agents & 255}`
    const call: Agent['call'] = async (name, { id, body, key = randomUUID() } = {}) => {
      const operation = operations.find((one) => one.name === name)!
      const headers = { 'x-forwarded-for': from }
      if (transport === 'rest') {
        const named = { ...headers, 'ucp-agent': `profile="${who}"`, ...(key ? { 'idempotency-key': key } : {}) }
        const own = body === undefined || operation.method === 'GET' ? {} : { body }
        const path = `/ucp${operation.path.replace('{id}', encodeURIComponent(id ?? ''))}`
        return http(domain, operation.method, path, { headers: named, ...own })
      }
      const meta = { 'ucp-agent': { profile: who }, ...(key ? { 'idempotency-key': key } : {}) }
      const own = {
        meta,
        ...(id === undefined ? {} : { id }),
        ...(operation.argument ? { [operation.argument]: body ?? {} } : {}),
      }
      const params = { name, arguments: own }
      const sent = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const answer = await http(domain, 'POST', '/ucp/mcp', { body: sent, headers })
      const { result, error } = answer.body
      if (error) return { ...answer, body: { ...error.data, rpc: error.code } }
      assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent)
      return { ...answer, body: result.structuredContent }
    }
    return { profile: who, call }
  }
  const domainOf = async ({ store }: TestStore) => {
    const domain = `${store.slug}.example.net`
    await world.app.db.transaction(async (tx) => {
      tx.later(sql`update stores set custom_domain = ${domain}, domain_verified = true where id = ${store.id}`)
      followStore(tx, store.id)
    })
    return domain
  }
  return { ...world, host, publish, domainOf, profileOf, agent, http }
}

export function platformProfile(release: string, capabilities: readonly string[]): object {
  return {
    ucp: {
      version: release,
      services: { 'dev.ucp.shopping': [{ version: release, transport: 'mcp' }] },
      capabilities: Object.fromEntries(capabilities.map((name) => [name, [{ version: release }]])),
      payment_handlers: {},
    },
  }
}

export const lines = (id: string, quantity = 1) => [{ item: { id }, quantity }]

export const buyer = { first_name: 'Ana', last_name: 'Torres', email: 'ana@example.com', phone_number: '+12125550123' }

export const shipping = (option?: string, place: object = home) => ({
  methods: [
    {
      type: 'shipping',
      destinations: [place],
      ...(option ? { groups: [{ id: 'shipping_package', selected_option_id: option }] } : {}),
    },
  ],
})

export const home = {
  street_address: '350 Fifth Avenue',
  address_locality: 'New York',
  address_region: 'NY',
  postal_code: '10118',
  address_country: 'US',
}

/** All that an order needs. */
export const whole = (id: string, quantity = 1) => ({
  line_items: lines(id, quantity),
  buyer,
  fulfillment: shipping('standard'),
})

export const byCash = { payment: { instruments: [{ id: 'cash', handler_id: 'cod', type: 'cod', selected: true }] } }

export function totalOf(
  { totals }: { totals: { type: string; amount: number }[] },
  type = 'total',
): number | undefined {
  return totals.find((one) => one.type === type)?.amount
}

export function codesOf({
  messages = [],
}: {
  messages?: { code: string; severity?: string; path?: string }[]
}): string[] {
  return messages.map(({ code, severity, path }) => [code, severity, path].filter(Boolean).join(' '))
}
