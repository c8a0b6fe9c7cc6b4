import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { sql } from '../../kit/database/sql.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { openWorld } from '../../../test/world.ts'
import { addMember, createUser } from './operations.ts'
import { isCommon } from './passwordrules.ts'
import { passwordFault } from './passwordrules.ts'
import { hashPassword, verifyPassword } from './password.ts'

const world = await openWorld()
const { db } = world.app
const address = () => `${newUuid()}@example.com`

test('a password is kept as an argon2id hash of 19 MiB and two passes, with its own salt', async () => {
  const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.notEqual(one, two)
})

test('a hash made elsewhere in the PHC form verifies', async () => {
  // From the reference implementation: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 24 -e
  const phc = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  assert.equal(await verifyPassword('password', phc), true)
  assert.equal(await verifyPassword('Password', phc), false)
})

test('the right password verifies in any composition of its letters, any other does not', async () => {
  const hash = await hashPassword('contrase\u00f1a larga')
  assert.equal(await verifyPassword('contrasen\u0303a larga', hash), true)
  assert.equal(await verifyPassword('contrasena larga', hash), false)
  assert.equal(await verifyPassword('', hash), false)
})

test('nobody enters an account without a password', async () => {
  assert.equal(await verifyPassword('', null), false)
  assert.equal(await verifyPassword('correct horse', null), false)
})

test('hashes wait their turn: who is known first, and each address once before any of them twice', async () => {
  const order: string[] = []
  const hashFor = async (by: string, isKnown = false) => {
    await verifyPassword('x', null, { by, isKnown })
    order.push(by)
  }
  const eve = Array.from({ length: 8 }, () => hashFor('eve'))
  await Promise.all([...eve, hashFor('ben'), hashFor('ana', true)])
  // Two at a time: in which order they end is theirs, but without turns ben and ana would be the last.
  assert.equal(order.at(-1), 'eve', order.join(' '))
})

test('a flood of hashes is turned away', async () => {
  const byOne = Array.from({ length: 15 }, () => verifyPassword('x', null, { by: 'one', isKnown: false }))
  const settled = await Promise.allSettled(byOne)
  assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 10)
  assert.ok(settled.every((one) => one.status === 'fulfilled' || one.reason.status === 503))
  assert.equal(await verifyPassword('x', null), false)
})

test('a password that is common, repeats itself or is made of names is refused', async () => {
  const owner = { email: 'maria.lopez@example.com', stores: ['Corner shop', 'corner-shop'] }
  const faults = async (...given: string[]) => Promise.all(given.map((one) => passwordFault(one, owner)))
  assert.deepEqual(await faults('short', 'x'.repeat(201)), ['length', 'length'])
  assert.deepEqual(await faults('password', 'PASSWORD1', '1q2w3e4r', 'iloveyou2'), Array(4).fill('common'))
  assert.deepEqual(await faults('aaaaaaaa', 'abcabcabcab', '1212121212', '........'), Array(4).fill('repeated'))
  assert.deepEqual(
    await faults('maria.lopez@example.com', 'MariaLopez1', 'corner-shop', 'Corner Shop!22', 'cornershop'),
    Array(5).fill('personal'),
  )
  assert.deepEqual(await faults('correct horse', 'maria and her 3 dogs', 'the corner shop door'), [null, null, null])
})

test('every one of the 100,000 most common passwords is known', async () => {
  const packed = await readFile(new URL('common-passwords.txt.br', import.meta.url))
  const lines = brotliDecompressSync(packed).toString().trim().split('\n')
  assert.equal(lines.length, 100_000)
  for (const line of lines) assert.ok(await isCommon(line), line)
})

test('an e-mail has one account, without regard to case', async () => {
  const email = address()
  await db.transaction((tx) => createUser(tx, { email, password: 'correct horse' }))
  await assert.rejects(
    db.transaction((tx) => createUser(tx, { email: email.toUpperCase(), password: 'correct horse' })),
    { status: 409, code: 'CONFLICT' },
  )
})

test('a user becomes a member once, and no password is stored as it was typed', async () => {
  const { store } = await world.newStore()
  const id = await db.transaction(async (tx) => {
    const id = await createUser(tx, { email: address(), password: 'correct horse', name: 'Ana' })
    await addMember(tx, store, id, 'owner')
    return id
  })
  const row = await db.one(sql`
    select users.name, users.password_hash, members.role, store_counters.staff
    from users
    join members on members.user_id = users.id
    join store_counters on store_counters.store_id = members.store_id
    where users.id = ${id}`)
  assert.deepEqual(
    { ...(row as object), password_hash: null },
    { name: 'Ana', role: 'owner', staff: 1, password_hash: null },
  )
  assert.doesNotMatch(JSON.stringify(row), /correct horse/)
  await assert.rejects(
    db.transaction((tx) => addMember(tx, store, id, 'staff')),
    { status: 409 },
  )
  const { staff } = (await db.one<{ staff: number }>(sql`
    select staff
    from store_counters
    where store_id = ${store.id}`))!
  assert.equal(staff, 1)
})

test('a plan for one person refuses the second: Staff limit reached (1/1)', async () => {
  const { store } = await world.newStore({ plan: 'free' })
  const join = () =>
    db.transaction(async (tx) =>
      addMember(tx, store, await createUser(tx, { email: address(), password: 'correct horse' }), 'staff'),
    )
  await join()
  await assert.rejects(join, { status: 403, code: 'PLAN_LIMIT_EXCEEDED', message: 'Staff limit reached (1/1)' })
})
