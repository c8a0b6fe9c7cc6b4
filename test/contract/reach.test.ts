// Each read with each scope alone: an answer has data of another noun only where the table below says so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scopes } from '../../src/identity/apikeys/scopes.ts'
import { completeScopes } from '../../src/identity/account/role.ts'
import { idsOf, oneOfEach } from '../everyroute.ts'
import { previewed } from '../imports.ts'
import { routes } from '../../src/developer/routes.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({}, { sweeps: true })

/** Words that only records of a noun have, and files that were imported as such. */
// prettier-ignore
const marks: Record<string, string[]> = {
  products:  ['Mug', 'Shirt', 'Imported cup'],
  customers: ['ana@example.com', 'Ana Torres', 'imported.buyer@example.com', 'Imported Buyer'],
  orders:    ['Checked', 'Imported item'],
  discounts: ['TEN', 'IMPORTEDCODE'],
}

const files: Record<string, string> = {
  products: 'name,price\nImported cup,1\n',
  customers: 'name,email\nImported Buyer,imported.buyer@example.com\n',
  orders: `order_number,customer_email,item_name,item_quantity,item_price
9001,imported.buyer@example.com,Imported item,1,1
`,
  discounts: 'code,type,value\nIMPORTEDCODE,percentage,10\n',
}

/** A scope's noun, another noun whose data its records have, and the read that shows it; by the reason. */
const exceptions: Record<string, string[]> = {
  'an order, its files and its emails have what was bought, by whom, with which code': [
    'orders customers /draft-orders',
    'orders customers /draft-orders/{id}',
    'orders customers /imports/{id}/rows',
    'orders customers /mails',
    'orders customers /mails/{id}',
    'orders customers /orders',
    'orders customers /orders/{id}',
    'orders customers /store/mails/{kind}/preview',
    'orders discounts /orders',
    'orders discounts /orders/{id}',
    'orders discounts /orders/{id}/items',
    'orders products /draft-orders',
    'orders products /draft-orders/{id}',
    'orders products /draft-orders/{id}/quote',
    'orders products /orders',
    'orders products /orders/{id}',
    'orders products /orders/{id}/items',
    'orders products /reports/sales',
  ],
  'a checkout is an order that is not placed yet': [
    'checkout_drafts customers /checkout-drafts/{id}',
    'checkout_drafts products /checkout-drafts/{id}',
  ],
  'stock and collections are of products, which everybody can see in the shop': [
    'categories products /collections/{id}/products',
    'inventory products /inventory/products',
  ],
  'keys with webhooks are sent every event, and read them in the log': [
    'webhooks customers /events',
    'webhooks customers /webhooks/{id}/deliveries/{deliveryId}',
    'webhooks discounts /events',
    'webhooks orders /events',
    'webhooks products /events',
    'webhooks products /events/{id}',
    'webhooks products /webhooks/{id}/deliveries/{deliveryId}',
  ],
  'the audit log names what was changed, without what is personal': ['audit products /audit'],
}

test('no read gives one noun’s scope the data of another, but for what is named here', async () => {
  const shop = await world.newStore()
  const known = await oneOfEach(world, shop)
  const ids = idsOf(known)
  const imports: string[] = []
  for (const [kind, file] of Object.entries(files)) imports.push((await previewed(world, shop.api, file, { kind })).id)
  const reads = routes
    .filter(({ method }) => method === 'GET')
    .flatMap(({ path }) => {
      const given = ids[`GET /v1${path}`] ?? []
      const all = path.startsWith('/imports/{id}') ? imports.map((id) => [id]) : [given]
      return all.map((of) => ({ path, url: fill(path, of) }))
    })
  const reached = new Set<string>()
  for (const scope of scopes) {
    // A custom role of one scope has these, and a key of it fewer.
    const api = await shop.withKey({ scopes: completeScopes([scope]) })
    const noun = scope.split(':')[1]!
    for (const { path, url } of reads) {
      world.clock.advance(1)
      const response = await fetch(`${world.url}/v1${url}`, { headers: { 'x-api-key': api.key } })
      const [status, text] = [response.status, await response.text()]
      // A proposal of others is unknown to who cannot read it.
      if (status === 403 || status === 404) continue
      assert.equal(status, 200, `${scope} ${url}`)
      for (const [other, words] of Object.entries(marks)) {
        if (other !== noun && words.some((word) => text.includes(word))) reached.add(`${noun} ${other} ${path}`)
      }
    }
  }
  assert.deepEqual([...reached].toSorted(), Object.values(exceptions).flat().toSorted())
})

function fill(path: string, ids: readonly string[]): string {
  const rest = [...ids]
  return path.replace(/\{\w+\}/g, () => rest.shift()!)
}
