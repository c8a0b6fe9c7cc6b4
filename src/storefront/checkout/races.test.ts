// Two nodes over one database: money that comes late while its order is canceled, edited or refunded, and refunds that
// fail at the provider and are made again. In any order the books agree with the provider's, and nothing goes back
// twice. MONEY_RACES is the number of rounds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client, type Answer, type Client } from '../../../test/client.ts'
import { ownDatabase } from '../../../test/database.ts'
import { until } from '../../../test/deliveries.ts'
import { fakeProvider, payingShop, type Payment } from '../../../test/payments.ts'
import { randomBy, seed } from '../../../test/random.ts'
import { dataOf } from '../../../test/shop.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld } from '../../../test/world.ts'

const rounds = Number(process.env.MONEY_RACES ?? 6)
const database = await ownDatabase()
// The last to end drops the database.
const other = await openWorld({}, { database: { ...database, drop: async () => {} } })
const world = await openWorld({}, { database })
const nodes = [world, other]
const psp = fakeProvider()
const random = randomBy(seed)

type Sale = Awaited<ReturnType<typeof openSale>>

/** An order of 20 that is paid, with 15 more that the shopper has begun to pay. */
async function openSale() {
  const shop = await payingShop(world)
  const { token } = await shop.begin()
  await shop.shopper.complete(token)
  const first = psp.last()
  psp.pay(first)
  const { id } = (await shop.shopper.complete(token)).data.order
  const items = [{ product_name: 'Bow', unit_price: 15, quantity: 1 }]
  const order = dataOf(await shop.api.post(`/v1/orders/${id}/edits`, { items }), 200)
  const { url } = dataOf(await shop.api.post(`/v1/orders/${id}/payment-link`, { send: false }), 200)
  const { status } = await fetch(world.url + new URL(url).pathname, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ total: '15', payment_method: 'card' }),
  })
  assert.equal(status, 303)
  const apis = nodes.map(({ url }) => client(url, { 'x-api-key': shop.api.key }))
  return { ...shop, apis, order, path: `/v1/orders/${id}`, first, late: psp.last() }
}

/** The provider tells a node of a change. */
async function tell(node: (typeof nodes)[number], { store }: Sale, { reference }: Payment, eventId: string) {
  const answer = await fetch(`${node.url}/payments/${store.id}/card`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-signature': 'right' },
    body: JSON.stringify({ eventId, reference, captured: 1 }),
  })
  assert.equal(answer.status, 200, await answer.text())
}

const expected = [200, 201, 409, 422]
function assertExpected({ status, error }: Answer): void {
  assert.ok(expected.includes(status), JSON.stringify(error))
}

async function runJobs(): Promise<void> {
  for (const { clock } of nodes) clock.advance(200)
  for (const name of ['look at payments', 'ask for refunds', 'ask for captures'])
    await Promise.all(nodes.map(({ app }) => app.jobs.run(name)))
}

/** Nothing is under way any more, and each payment is as the provider has it. */
async function assertSettled({ api, path, first, late, ...sale }: Sale): Promise<void> {
  const seen = async () => {
    const { data: payments } = await api.get('/v1/payments')
    const { data: refunds } = await api.get(`${path}/refunds`)
    const agrees = ({ reference, captured, refunded }: Payment) =>
      payments.some(
        (one: any) =>
          one.reference === reference && one.captured_amount === captured && one.refunded_amount === refunded,
      )
    return agrees(first) && agrees(late) && refunds.every(({ status }: any) => status !== 'pending')
  }
  await until(async () => {
    await runJobs()
    return seen()
  })
  for (const { captured, refunded } of [first, late]) assert.ok(refunded >= 0 && refunded <= captured)
  const { data: order } = await api.get(path)
  const { data: payments } = await api.get(`${path}/payments`)
  for (const name of ['captured_amount', 'refunded_amount'])
    assert.equal(
      order[name],
      payments.reduce((sum: number, one: any) => sum + one[name], 0),
      name,
    )
  assert.deepEqual((await api.get('/v1/ledger/verify')).data.disagreements, [])
  await assertSums(world, { api, ...sale })
}

type Act = (api: Client, sale: Sale) => Promise<Answer>
const cancelAndRefund: Act = (api, { path }) => api.patch(path, { status: 'cancelled', refund: true })
const markPaid: Act = (api, { path }) => api.patch(path, { payment_status: 'paid' })

/** What a merchant does with the order meanwhile. */
const acts: Act[] = [
  cancelAndRefund,
  (api, { path }) => api.patch(path, { status: 'cancelled' }),
  (api, { path, order }) => api.post(`${path}/edits`, { items: [{ item_id: order.items.at(-1).id, quantity: 0 }] }),
  (api, { path }) => api.post(`${path}/refunds`, { amount: 5 }),
  markPaid,
]

test(`money that comes late beside what is done with its order counts or goes back (${rounds} times)`, async () => {
  for (let round = 0; round < rounds; round++) {
    const sale = await openSale()
    const told = (node: (typeof nodes)[number]) => async () => {
      psp.pay(sale.late)
      await tell(node, sale, sale.late, `evt_late_${round}`)
    }
    const done = [random.pick(acts), random.pick(acts)]
    const answers: Answer[] = []
    const steps = [
      ...nodes.map(told),
      ...done.map((act, at) => async () => void (answers[at] = await act(sale.apis[at]!, sale))),
    ]
    const first = random.below(steps.length)
    await Promise.all([...steps.slice(first), ...steps.slice(0, first)].map((step) => step()))
    answers.forEach(assertExpected)
    await assertSettled(sale)
    const { data: after } = await sale.api.get(sale.path)
    // Money that came before is refunded, and money that comes afterward goes back. What was marked as paid stays.
    const isRefunded = done.some((act, at) => act === cancelAndRefund && answers[at]!.status === 200)
    if (isRefunded && !done.includes(markPaid)) assert.equal(after.captured_amount, after.refunded_amount)
  }
})

test(`a refund that fails next to another one is made again once (${rounds} times)`, async () => {
  for (let round = 0; round < rounds; round++) {
    const sale = await openSale()
    const { api, apis, path, first } = sale
    const one = dataOf(await api.post(`${path}/refunds`, { amount: 12 }), 201)
    await until(async () => (await api.get(`${path}/refunds/${one.id}`)).data.status === 'succeeded')
    Object.assign(first, { refunded: first.refunded - 12, failed_refunds: [{ key: one.id, reason: 'closed_card' }] })
    const again = (at: number) => async () => assertExpected(await apis[at]!.post(`${path}/refunds`, { amount: 12 }))
    const steps = [
      ...nodes.map((node) => () => tell(node, sale, first, `evt_${one.id}`)),
      again(0),
      again(1),
      async () => assertExpected(await apis[round % 2]!.patch(path, { status: 'cancelled' })),
    ]
    const start = random.below(steps.length)
    await Promise.all([...steps.slice(start), ...steps.slice(0, start)].map((step) => step()))
    assert.equal((await api.get(`${path}/refunds/${one.id}`)).data.status, 'failed')
    await assertSettled(sale)
    const { data: refunds } = await api.get(`${path}/refunds`)
    const done = refunds.filter(({ status }: any) => status === 'succeeded')
    const back = done.reduce((sum: number, { amount }: any) => sum + amount, 0)
    assert.equal(back, first.refunded + sale.late.refunded)
    assert.ok(back <= 20)
  }
})
