// Clients that write without a pause, through every failure, and remember what they were told.
import assert from 'node:assert/strict'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { newUuid } from '../src/kit/values/ids.ts'

/** A write that was answered with 2xx. `mark` names it in the database, `answer` is what the answer said of it. */
export type Written = { kind: 'product' | 'order' | 'adjustment'; mark: string; answer: string; tries: number }

export type Writers = {
  /** Resolves once so many more writes are acknowledged. */
  acknowledged(more: number): Promise<void>
  /** Ends them; what they repeat is finished first. */
  stop(): Promise<Written[]>
}

/** They sell and adjust a product of that name. Each request takes the next of the keys. */
export async function startWriters({
  url,
  keys,
  connections,
  name,
  signal,
}: {
  url: string
  keys: string[]
  connections: number
  name: string
  /** Ends them without finishing what they repeat. */
  signal?: AbortSignal
}): Promise<Writers> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections })
  const written: Written[] = []
  const stocked = { name, price: 10, track_inventory: true, stock_quantity: 1_000_000 }
  const { data } = await send(agent, url, keys[0]!, { method: 'POST', path: '/v1/products', body: stocked })
  let isStopping = false
  let turn = 0

  async function write(): Promise<void> {
    while (!isStopping && !signal?.aborted) {
      const write = acts[turn % acts.length]!(newUuid(), data.id)
      const key = keys[turn % keys.length]!
      // Half of the writes carry an Idempotency-Key and are repeated until they are answered; the others are given up.
      const repeats = turn++ % 2 === 0
      const request = repeats ? { ...write, idempotencyKey: write.mark } : write
      for (let tries = 1, isAnswered = false; !isAnswered && (tries === 1 || repeats); tries++) {
        if (signal?.aborted) return
        const { status, data } = await send(agent, url, key, request)
        isAnswered = status >= 200 && status < 300
        if (isAnswered) written.push({ kind: write.kind, mark: write.mark, answer: write.answerOf(data), tries })
        else assert.ok([cut, 409, 503].includes(status), `${write.path} was answered with ${status}`)
        if (!isAnswered) await sleep(20)
      }
    }
  }
  const writers = Promise.all(Array.from({ length: connections }, write))
  writers.catch(() => {})
  return {
    async acknowledged(more) {
      const wanted = written.length + more
      while (written.length < wanted) await Promise.race([sleep(5), writers])
    },
    async stop() {
      isStopping = true
      await writers
      agent.destroy()
      return written
    },
  }
}

type Write = {
  kind: Written['kind']
  mark: string
  method: string
  path: string
  body: object
  answerOf: (data: any) => string
}

const acts: ((mark: string, stockedId: string) => Write)[] = [
  (mark) => ({
    kind: 'product',
    mark,
    method: 'POST',
    path: '/v1/products',
    body: { name: mark, price: 12.5, track_inventory: true, stock_quantity: 3 },
    answerOf: ({ price }) => String(price),
  }),
  (mark, product_id) => ({
    kind: 'order',
    mark,
    method: 'POST',
    path: '/v1/orders',
    body: { internal_notes: mark, customer_email: `${mark.at(-1)}@example.com`, items: [{ product_id, quantity: 2 }] },
    answerOf: ({ order_number }) => String(order_number),
  }),
  (mark, productId) => ({
    kind: 'adjustment',
    mark,
    method: 'PATCH',
    path: `/v1/inventory/products/${productId}`,
    body: { quantity: 3, reason: mark },
    answerOf: () => '3',
  }),
]

/** The status of a request that got no answer. */
const cut = 0

type Sent = { method: string; path: string; body: object; idempotencyKey?: string }

function send(agent: http.Agent, url: string, key: string, { method, path, body, idempotencyKey }: Sent) {
  return new Promise<{ status: number; data?: any }>((resolve) => {
    const lost = () => resolve({ status: cut })
    const headers = {
      'x-api-key': key,
      'content-type': 'application/json',
      ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
    }
    http
      .request(url + path, { method, agent, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response
          .on('data', (part: string) => (text += part))
          .on('error', lost)
          .on('end', () => {
            if (response.complete) resolve({ status: response.statusCode!, data: JSON.parse(text).data })
          })
      })
      .on('error', lost)
      .end(JSON.stringify(body))
  })
}
