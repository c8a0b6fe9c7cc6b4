import assert from 'node:assert/strict'
import { test } from 'node:test'
import { staffOf } from '../../../test/staff.ts'
import { answering } from '../../../test/strangers.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld({}, { network: { resolver: answering(['93.184.216.34']) } })

async function open() {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop])
  return { shop, ana, path: `/${shop.store.id}/settings/developer` }
}

test('a request is explained, and its change, event and delivery lead on and back', async () => {
  const { shop, ana, path } = await open()
  const { data: hook } = await shop.api.post('/v1/webhooks', {
    url: 'https://hooks.example/',
    events: ['product.created'],
  })
  const { headers } = await shop.api.post('/v1/products', { name: 'Mug', price: 5 })
  await world.app.requestLog!.flush()
  const id = headers.get('x-request-id')!
  const { status, text } = await ana.get(`${path}/requests/${id}`)
  assert.equal(status, 200)
  for (const part of [/Input/, /\d+ statements in \d+ round trips/, /Created Product/, /product\.created/])
    assert.match(text, part)
  const [, entry] = /settings\/audit\/(aud_\w+)/.exec(text)!
  assert.equal((await ana.get(`/${shop.store.id}/settings/audit/${entry}`)).status, 200)
  const delivery = new RegExp(`${path}/webhooks/${hook.id}/deliveries/(dlv_\\w+)`).exec(text)!
  assert.equal((await ana.get(`${path}/webhooks/${hook.id}/deliveries/${delivery[1]}`)).status, 200)
  const [, event] = new RegExp(`${path}/events/(evt_\\w+)`).exec(text)!
  const shown = await ana.get(`${path}/events/${event}`)
  assert.match(shown.text, new RegExp(`${path}/requests/${id}`))
  assert.match(shown.text, /&quot;event_id&quot;:&quot;prod_/)
})

test('a refused request says which check refused it and why', async () => {
  const { shop, ana, path } = await open()
  const { headers } = await shop.api.post('/v1/products', { name: '' })
  await world.app.requestLog!.flush()
  const { text } = await ana.get(`${path}/requests/${headers.get('x-request-id')}`)
  assert.match(text, /class="refused"[^]*Input[^]*The request has 2 errors/)
  assert.match(text, /class="not_reached"/)
})
