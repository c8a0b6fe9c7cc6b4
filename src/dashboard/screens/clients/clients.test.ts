import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hiddenOf, staffOf, type Shown } from '../../../../test/staff.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()
const asked = {
  act: 'create',
  client_name: 'Back office',
  redirects: 'https://a.example/cb\nhttps://b.example/cb',
  scopes: ['read:orders', 'read:products'],
}

async function open() {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop], 'staff')
  return { shop, ana, path: `/${shop.store.id}/settings/developer/oauth-clients` }
}

const madeIn = ({ text }: Shown) => [...text.matchAll(/<code>([\w-]+)<\/code><\/copy-text>/g)].map(([, code]) => code!)
const idIn = ({ text }: Shown) => /name="client" value="([^"]+)"/.exec(text)?.[1]

test('a client is made, also by staff; its secret is shown once, and another person sees none of it', async () => {
  const { shop, ana, path } = await open()
  const made = await ana.post(path, asked)
  assert.equal(made.status, 200)
  const [id, secret] = madeIn(made)
  const listed = await ana.get(path)
  assert.ok(listed.text.includes(id!) && !listed.text.includes(secret!))
  assert.match(listed.text, /https:\/\/a\.example\/cb · https:\/\/b\.example\/cb/)
  const ben = await staffOf(world, [shop])
  assert.ok(!(await ben.get(path)).text.includes(id!))
})

test('a public client gets no secret, and no new one', async () => {
  const { ana, path } = await open()
  assert.equal(madeIn(await ana.post(path, { ...asked, public: '1' })).length, 1)
  assert.ok(!(await ana.get(path)).text.includes('value="rotate"'))
})

test('a new secret and an end are asked about first', async () => {
  const { ana, path } = await open()
  const [, secret] = madeIn(await ana.post(path, asked))
  const client = idIn(await ana.get(path))!
  assert.match(
    (await ana.post(path, { act: 'rotate', client, label: 'Back office' })).text,
    /Rotate the secret of Back office/,
  )
  const [, rotated] = madeIn(await ana.post(path, { act: 'rotate', client, sure: '1' }))
  assert.notEqual(rotated, secret)
  assert.match((await ana.post(path, { act: 'delete', client, sure: '1' })).notice, /^client_deleted$/)
  assert.match((await ana.get(path)).text, /No OAuth apps yet/)
})

test('what is wrong stands beside its field, and what was typed and ticked stays', async () => {
  const { ana, path } = await open()
  const none = await ana.post(path, { ...asked, scopes: [] })
  assert.equal(none.status, 422)
  assert.match(none.text, /Choose at least one option/)
  assert.match(none.text, /value="Back office"[\s\S]*https:\/\/b\.example\/cb<\/textarea>/)
  const wrong = await ana.post(path, { ...asked, redirects: 'ftp://x.example' })
  assert.match(wrong.text, /id="redirect_uris-fault">Use https, or http on localhost/)
  assert.match(wrong.text, /value="read:orders" checked/)
})

test('the same form twice makes one client', async () => {
  const { ana, path } = await open()
  const once = hiddenOf(await ana.get(path), 'once')
  const [first, second] = await Promise.all([ana.post(path, { ...asked, once }), ana.post(path, { ...asked, once })])
  assert.deepEqual(madeIn(first), madeIn(second))
  assert.equal((await ana.get(path)).text.match(/<strong>Back office/g)!.length, 1)
})

test('who signed in more than an hour ago does so again, and what was typed waits', async () => {
  const own = await openWorld()
  const shop = await own.newStore()
  const ana = await staffOf(own, [shop])
  own.clock.advance(3601)
  const { status, text } = await ana.post(`/${shop.store.id}/settings/developer/oauth-clients`, asked)
  assert.equal(status, 403)
  assert.match(text, /Confirm it’s you/)
  assert.match(text, /name="client_name" value="Back office"/)
  assert.match(text, /href="\/oauth\/login\?return_to=[^"]+again=1"/)
})
