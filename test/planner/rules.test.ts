// The rules against what a cluster said of 496 statements of an earlier schema (Citus 14.0.1 over PostgreSQL 18.4):
// 350 it sent to one server, 57 to all of them, and 89 it refused.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import pg from 'pg'
import { placement } from '../../src/developer/tables.ts'
import { databaseUrl } from '../database.ts'
import { brokenRules } from './rules.ts'
import { volatilityOf } from './volatility.ts'

type Statements = { ok: string[]; 'fans out': string[]; fails: Record<string, string[]> }
const statements = JSON.parse(readFileSync(new URL('statements.json', import.meta.url), 'utf8')) as Statements

const client = new pg.Client({ connectionString: databaseUrl() })
await client.connect()
after(() => client.end())
const known = await volatilityOf(client)
// It was at that time.
const volatility = { ...known, volatile: new Set([...known.volatile, 'refuse']) }
// They were distributed at that time.
const placed = { ...placement, pages: 'distributed', tax_zones: 'distributed' } as const

const rulesOf = (text: string) => brokenRules(text, placed, volatility)
const failing = (text: string) => rulesOf(text).some((rule) => rule !== 'store')

test('what the cluster sent to one server breaks no rule', () => {
  assert.equal(statements.ok.length, 350)
  const wrong = statements.ok.filter((text) => rulesOf(text).length > 0)
  // The cluster was asked with one store; with several it could not lock.
  assert.deepEqual(wrong, ['select from event_logs where store_id = any($1::text[]) order by store_id for update'])
})

test('what it sent to all servers names no store, and breaks no other rule', () => {
  assert.equal(statements['fans out'].length, 57)
  for (const text of statements['fans out']) assert.deepEqual(rulesOf(text), ['store'], text)
})

for (const [error, texts] of Object.entries(statements.fails))
  test(`what it refused breaks a rule: ${error}`, () =>
    assert.deepEqual(
      texts.filter((text) => !failing(text)),
      [],
    ))

test('it refused 89', () => assert.equal(Object.values(statements.fails).flat().length, 89))
