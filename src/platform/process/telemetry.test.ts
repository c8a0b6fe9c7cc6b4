import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { root } from '../../../test/server.ts'
import { openWorld } from '../../../test/world.ts'
import { startTelemetry } from './telemetry.ts'

type Attribute = { key: string; value: { stringValue?: string; intValue?: number } }
type OtlpSpan = { name: string; traceId: string; spanId: string; parentSpanId?: string; attributes: Attribute[] }

const received: { path: string; body: any }[] = []
const receiver = http.createServer(async (request, response) => {
  let body = ''
  for await (const part of request.setEncoding('utf8')) body += part
  received.push({ path: request.url!, body: body && JSON.parse(body) })
  response.end('{}')
})
await once(receiver.listen(0, '127.0.0.1'), 'listening')
after(() => receiver.close())
const endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`

const [traceId, callerId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']

test('requests, their statements, jobs and calls are traced, and a traceparent is continued', async () => {
  const telemetry = startTelemetry({ endpoint, ratio: 1 })
  const world = await openWorld()
  const { store, api } = await world.newStore()
  const { body } = await api.post('/v1/products', { name: 'Bowl', price: 9 })
  const { url } = world
  const traceparent = `00-${traceId}-${callerId}-01`
  const shop = `${url}/storefront/${store.slug}`
  const statuses = [
    await ask(`${shop}/products?search=a%40b.example`, { headers: { traceparent } }),
    await ask(
      `${shop}/checkouts`,
      { method: 'POST', headers: { traceparent, 'content-type': 'application/json' } },
      JSON.stringify({ items: [{ product_id: body.data.id, quantity: 1 }] }),
    ),
  ]
  // The answer of a healthy server, as a payment provider's would be.
  await (await fetch(`${url}/healthz`)).text()
  assert.ok(await world.app.jobs.run('drop old mail'))
  await telemetry.close()

  const spans = spansOf()
  const inTrace = spans.filter((span) => span.traceId === traceId)
  const requests = inTrace.filter(({ parentSpanId }) => parentSpanId === callerId)
  assert.deepEqual(
    requests.map(({ name }) => name),
    ['GET /storefront/:slug/products', 'POST /storefront/:slug/checkouts'],
  )
  assert.deepEqual(
    requests.map((span) => Number(valueOf(span, 'http.response.status_code'))),
    statuses,
  )
  for (const { spanId, name } of requests) {
    const statements = inTrace.filter(({ parentSpanId }) => parentSpanId === spanId)
    assert.ok(statements.length > 0, name)
    assert.ok(statements.every((span) => valueOf(span, 'db.system.name') === 'postgresql'))
  }
  const job = spans.find(({ name }) => name.startsWith('job '))!
  assert.ok(spans.some((span) => span.parentSpanId === job.spanId && valueOf(span, 'db.query.text')))
  const answer = spans.find(({ name }) => name === 'GET /healthz')!
  const call = spans.find(({ spanId }) => spanId === answer.parentSpanId)!
  assert.deepEqual([call.traceId, valueOf(call, 'server.address')], [answer.traceId, '127.0.0.1'])
  // Neither values nor paths of people.
  const text = JSON.stringify(received)
  assert.ok(!text.includes('b.example') && !text.includes(store.slug))
})

test('after close nothing is traced, and without an endpoint nothing is loaded', async () => {
  const before = received.length
  await startTelemetry({ endpoint, ratio: 1 }).close()
  const world = await openWorld()
  await (await fetch(`${world.url}/healthz`)).text()
  assert.equal(received.length, before)
  const loading = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] }).filter((file) =>
    /^import (?!type)[^\n]*(@opentelemetry|telemetry\.ts)/m.test(readFileSync(`${root}${file}`, 'utf8')),
  )
  assert.deepEqual(loading, ['src/platform/process/telemetry.ts'])
})

/** Not by fetch, whose calls are traced. */
async function ask(url: string, options: http.RequestOptions, body = ''): Promise<number> {
  const request = http.request(url, options).end(body)
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  await once(response.resume(), 'end')
  return response.statusCode!
}

function spansOf(): OtlpSpan[] {
  assert.ok(received.every(({ path }) => path === '/v1/traces'))
  return received.flatMap(({ body }) =>
    body.resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: OtlpSpan[] }[] }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    ),
  )
}

function valueOf({ attributes }: OtlpSpan, key: string): string | number | undefined {
  const value = attributes.find((attribute) => attribute.key === key)?.value
  return value?.stringValue ?? value?.intValue
}
