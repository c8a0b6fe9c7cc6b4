import assert from 'node:assert/strict'
import { test } from 'node:test'
import { letterTo, linkIn } from '../../../../test/letters.ts'
import { browsing, staffOf, type Shown } from '../../../../test/staff.ts'
import { client } from '../../../../test/client.ts'
import { openWorld } from '../../../../test/world.ts'
import { newUuid, publicId, toUuid } from '../../../kit/values/ids.ts'

const world = await openWorld({}, { sweeps: true })

async function open() {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop])
  return { shop, ana, path: `/${shop.store.id}/settings/team` }
}

const someAddress = () => `bo-${newUuid()}@example.com`
const statusOf = async (link: string) => (await fetch(link.replace('https://shop.example', world.url))).status
const personIn = ({ text }: Shown, act: string) =>
  new RegExp(
    `name="person" value="([^"]+)">(?:<input type="hidden"[^>]*>\\s*)*<input type="hidden" name="act" value="${act}"`,
  ).exec(text)?.[1]
const saidIn = ({ text }: Shown) => /role="alert">([^<]*)/.exec(text)?.[1]

test('the screen offers what the role allows', async () => {
  const { shop, ana, path } = await open()
  const [admin, staff] = [await staffOf(world, [shop], 'admin'), await staffOf(world, [shop], 'staff')]
  const offers = []
  for (const one of [ana, admin, staff]) {
    const { text } = await one.get(path)
    const acts = [...text.matchAll(/name="act" value="(\w+)"/g)].map(([, act]) => act!)
    const roles = [...text.matchAll(/<option value="(owner|admin|staff)"/g)].map(([, role]) => role!)
    offers.push([acts.sort().join(' '), roles.join(' ')])
  }
  const all = 'staff admin owner'
  assert.deepEqual(offers, [
    ['invite remove remove require role role', [all, all, all].join(' ')],
    ['invite remove remove', 'staff admin'],
    ['remove', ''],
  ])
})

test('an invitation is sent, sent again with another link, and withdrawn', async () => {
  const { ana, path } = await open()
  const email = someAddress()
  assert.match((await ana.post(path, { act: 'invite', email, role: 'staff' })).notice, /^invited$/)
  const first = linkIn((await letterTo(world.app, email, 1))[0]!.text)
  const shown = await ana.get(path)
  assert.match(shown.text, new RegExp(`<strong>${email}</strong>[\\s\\S]*Invited. Link expires`))
  const person = personIn(shown, 'resend')!
  assert.match((await ana.post(path, { act: 'resend', person })).notice, /^invited$/)
  const second = linkIn((await letterTo(world.app, email, 2))[0]!.text)
  assert.deepEqual([await statusOf(first), await statusOf(second)], [410, 200])
  assert.match((await ana.post(path, { act: 'withdraw', person, label: email })).text, /Revoke the invitation for bo-/)
  assert.match((await ana.post(path, { act: 'withdraw', person, sure: '1' })).notice, /^invitation_withdrawn$/)
  assert.equal(await statusOf(second), 410)
  assert.ok(!(await ana.get(path)).text.includes(email))
})

test('an invitation whose link has expired is shown as such, and can be sent again', async () => {
  const own = await openWorld()
  const shop = await own.newStore()
  const path = `/${shop.store.id}/settings/team`
  const email = someAddress()
  await (await staffOf(own, [shop])).post(path, { act: 'invite', email, role: 'staff' })
  own.clock.advance(8 * 24 * 3600)
  const ana = await staffOf(own, [shop])
  const shown = await ana.get(path)
  assert.match(shown.text, /Invited. Link expired/)
  assert.match((await ana.post(path, { act: 'resend', person: personIn(shown, 'resend')! })).notice, /^invited$/)
  assert.match((await ana.get(path)).text, /Invited. Link expires/)
})

test('a role is changed; the last owner keeps it, and a member is not invited: both in words', async () => {
  const { shop, ana, path } = await open()
  const ben = await staffOf(world, [shop], 'staff')
  const person = publicId('usr', ben.userId)
  assert.match((await ana.post(path, { act: 'role', person, role: 'admin' })).notice, /^role_changed$/)
  assert.match((await ben.get(path)).text, /Administrator/)
  const spanish = { 'accept-language': 'es' }
  const refused = await ana.post(path, { act: 'role', person: publicId('usr', ana.userId), role: 'staff' }, spanish)
  const keeps = 'Una tienda necesita al menos un propietario. Primero nombra a otra persona.'
  assert.deepEqual([refused.status, saidIn(refused)], [409, keeps])
  const { text } = await ana.get(path)
  const email = /<strong>Ana<\/strong>[\s\S]*?<p class="hint">([^<]+@example.com)/.exec(text)![1]!
  const again = await ana.post(path, { act: 'invite', email, role: 'staff' }, spanish)
  assert.deepEqual([again.status, saidIn(again)], [409, 'Esta persona ya es parte del equipo.'])
  const wrong = await ana.post(path, { act: 'invite', email: 'no address', role: 'staff' }, spanish)
  assert.match(wrong.text, /class="fault"[^>]*>Escribe un correo válido\./)
})

test('whoever leaves the store comes to their other stores', async () => {
  const { shop, path } = await open()
  const other = await world.newStore()
  const ben = await staffOf(world, [shop, other], 'staff')
  const { location } = await ben.post(path, { act: 'remove', person: publicId('usr', ben.userId), sure: '1' })
  assert.equal(location, '/')
  assert.equal((await ben.get('/')).location, `/${other.store.id}`)
  assert.equal((await ben.get(path)).status, 404)
})

test('a store that requires a second factor leads whoever has none to set one up, and leaves keys alone', async () => {
  const { shop, ana, path } = await open()
  const ben = await staffOf(world, [shop], 'staff')
  assert.match((await ana.post(path, { act: 'require' })).notice, /^saved$/)
  const security = `/${shop.store.id}/settings/security`
  for (const one of [ana, ben]) {
    assert.deepEqual([(await one.get(`/${shop.store.id}/orders`)).location], [`${security}?first=1`])
    assert.equal((await one.post(path, { act: 'waive' })).location, `${security}?first=1`)
    const shown = await one.get(security)
    assert.match(shown.text, /Corner shop requires two-factor authentication/)
  }
  assert.equal((await shop.api.get('/v1/orders')).status, 200)
  const portal = client(world.url, { cookie: ben.cookie, origin: 'https://shop.example' })
  assert.equal((await portal.get(`/oauth/portal/api/stores/${shop.store.id}/team`)).status, 403)
  assert.equal((await portal.get('/oauth/portal/api/sessions')).status, 200)
})

test('a stranger is sent to sign in, and comes back', async () => {
  const { path } = await open()
  const { location } = await browsing(world.url).get(path)
  assert.match(location, /^\/oauth\/login\?return_to=/)
})

test('a role is made from its areas, given by an invitation, changed, and deleted once nobody has it', async () => {
  const { shop, ana, path } = await open()
  const areas = { 'access.orders': 'write', 'access.inventory': 'read', 'access.store': 'read' }
  const saved = await ana.post(`${path}/roles/new`, { act: 'create', name: 'Warehouse', ...areas })
  assert.deepEqual([saved.location, saved.notice], [`${path}/roles`, 'role_saved'])
  const { text } = await ana.get(`${path}/roles`)
  assert.match(text, /Orders: View and change · Inventory: View · Store settings and shop pages: View/)
  const role = /roles\/(role_\w+)"/.exec(text)![1]!
  const again = await ana.post(`${path}/roles/new`, { act: 'create', name: 'warehouse', ...areas })
  assert.deepEqual([again.status, saidIn(again)], [409, 'Another role has this name.'])

  assert.match((await ana.get(path)).text, new RegExp(`<option value="${role}">Warehouse</option>`))
  assert.match((await ana.post(path, { act: 'invite', email: someAddress(), role })).notice, /^invited$/)
  const kept = await ana.post(`${path}/roles/${role}`, { act: 'remove', sure: '1' })
  assert.deepEqual([kept.status, /has this role or is invited/.test(kept.text)], [409, true])

  const shown = await ana.get(`${path}/roles/${role}`)
  assert.match(shown.text, /<option value="write" selected>View and change<\/option>/)
  const edit = { act: 'save', name: 'Packing', description: '', ...areas, 'access.inventory': '' }
  assert.match((await ana.post(`${path}/roles/${role}`, edit)).notice, /^role_saved$/)
  const ben = await staffOf(world, [shop], { id: toUuid('role', role)! })
  assert.match((await ben.get(`/${shop.store.id}`)).text, /<small>Packing<\/small>/)
  assert.deepEqual(
    [(await ben.get(`/${shop.store.id}/orders`)).status, (await ben.get(`/${shop.store.id}/inventory`)).status],
    [200, 403],
  )
})

test('who leads the team is offered only what their own role has', async () => {
  const { shop, ana, path } = await open()
  await ana.post(`${path}/roles/new`, {
    act: 'create',
    name: 'Lead',
    'access.team': 'write',
    'access.orders': 'propose',
  })
  const role = /roles\/(role_\w+)"/.exec((await ana.get(`${path}/roles`)).text)![1]!
  const lead = await staffOf(world, [shop], { id: toUuid('role', role)! })
  const { text } = await lead.get(`${path}/roles/new`)
  const offered = [...text.matchAll(/name="access\.(\w+)"[\s\S]*?<\/select>/g)].flatMap(([select, noun]) =>
    [...select.matchAll(/value="(\w+)"/g)].map(([, level]) => `${level}:${noun}`),
  )
  assert.deepEqual(offered, ['read:orders', 'propose:orders', 'read:store', 'write:team'])
  const wider = await lead.post(`${path}/roles/new`, { act: 'create', name: 'Wider', 'access.orders': 'write' })
  assert.equal(wider.status, 403)
})
