// Every statement that the app sends would be planned by a distributed PostgreSQL, but for those in known.ts.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { ownDatabase } from '../database.ts'
import { newJudge, rules, type RuleName } from './judge.ts'
import { fansOut, gathered, refused } from './known.ts'
import { nameOf } from './names.ts'
import { allStatements } from './recorded.ts'

const database = await ownDatabase()
const client = new pg.Client({ connectionString: database.url })
// It is cut when the database is dropped.
client.on('error', () => {})
await client.connect()
after(() => client.end().catch(() => {}))
const statements = await allStatements(database, client)
const judge = await newJudge(client)

type Breach = { text: string; sentBy: string; broken: RuleName[] }
const breaches = new Map<string, Breach[]>()
for (const [text, sentBy] of statements) {
  const broken = await judge(text)
  if (broken.length === 0) continue
  const name = nameOf(text)
  breaches.set(name, [...(breaches.get(name) ?? []), { text, sentBy, broken }])
}

test('the statements are many', () => assert.ok(statements.size > 700, `${statements.size}`))

test('each statement names its store, and asks nothing that a distributed database refuses', () => {
  const isKnown = (name: string, { text, broken }: Breach) =>
    (broken.join() === 'store' && (name in fansOut || text.includes(gathered))) ||
    broken.every((rule) => refused[name]?.includes(rule))
  const unknown = [...breaches].flatMap(([name, all]) =>
    all.filter((one) => !isKnown(name, one)).map((one) => explained(name, one)),
  )
  assert.deepEqual(unknown, [])
})

test('what is known to break a rule still does: known.ts only shrinks', () => {
  const gone = Object.entries(refused).flatMap(([name, known]) => {
    const found = new Set(breaches.get(name)?.flatMap(({ broken }) => broken))
    return known.filter((rule) => !found.has(rule)).map((rule) => `${name}: ${rule}`)
  })
  const unused = Object.keys(fansOut).filter((name) => !breaches.has(name))
  assert.deepEqual([...gone, ...unused], [], 'remove these')
})

test('what asks all servers can leave out the stores of one that is away', () => {
  const wrong = [...breaches].flatMap(([name, all]) =>
    all.filter(({ text }) => name in fansOut && !text.includes('(true)')).map(({ text }) => `${name}: ${text}`),
  )
  assert.deepEqual(wrong, [])
})

test('rows are not locked by a union: a plan that makes it unique loses those that change while it waits', () => {
  const locks = [...statements.keys()].filter((text) => /\bfor (no key update|update|share|key share)\s*$/.test(text))
  assert.ok(locks.length > 20, `${locks.length}`)
  assert.deepEqual(
    locks.filter((text) => /\bunion\b/.test(text)),
    [],
  )
})

function explained(name: string, { text, sentBy, broken }: Breach): string {
  return [`${name}, sent by ${sentBy}`, ...broken.map((rule) => `${rule}: ${rules[rule].why}`), text].join('\n')
}
