// Every command is asked to rehearse itself: a new one is in this test, or it fails.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { differing, fingerprintOf, type Fingerprint } from '../../../test/fingerprint.ts'
import { newDatabase } from '../../../test/database.ts'
import { newDataDir } from '../../../test/server.ts'
import { stoaOn } from '../../../test/stoa.ts'
import type { Database } from '../../kit/database/database.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { openDatabase } from '../../kit/database/open.ts'
import { systemClock } from '../../kit/values/clock.ts'
import type { Command } from 'commander'
import { allCommands } from './commands.ts'

const pair = (name: string, value: string) => [`--${name}`, value]
const to = { store: '', key: '', client: '' }
const ofStore = () => pair('store', to.store)
const email = pair('email', 'ana@example.com')

// In an order in which each can be done.
// prettier-ignore
const changing: Record<string, () => string[]> = {
  'store create':     () => pair('name', 'Second'),
  'store set-plan':   () => [to.store, 'growth'],
  'store set-status': () => [to.store, 'paused'],
  'key create':       () => [
    ...ofStore(), ...pair('mode', 'live'), ...pair('scopes', 'all'), ...pair('max-per-day', '5'),
  ],
  'key deactivate':   () => [to.key],
  'user create':      () => [...email, ...pair('password', 'correct horse'), ...ofStore()],
  'user link':        () => email,
  'user forget-factors': () => email,
  'client create':    () => [...pair('name', 'Ledger'), ...pair('redirect-uri', 'https://ledger.example/cb'),
    ...pair('scope', 'read:orders')],
  'client limit':     () => [to.client, ...ofStore(), ...pair('max-amount', '50')],
  'client verify':    () => ['software-1', ...pair('host', 'ledger.example')],
  'signing-key rotate': () => [],
  'trigger':          () => ['order.created', ...ofStore()],
}

/** In the second store. */
const later: Record<string, (store: string) => string[]> = {
  'user add': (store) => [...email, ...pair('store', store)],
}

// prettier-ignore
const others: Record<string, string[]> = {
  'store list':       [],
  'store fork':       ['x'],
  'store forks':      ['x'],
  'store delete-fork': ['x'],
  'store export':     ['x', ...pair('output', '/nowhere/file')],
  'store import':     ['/nowhere/file'],
  'key list':         pair('store', 'x'),
  'signing-key list': [],
  'outbox':           [],
  'audit verify':     [],
  'security-events':  [],
  'explain':          ['req_1'],
  'doctor':           [],
  'routes':           [],
  'completion':       [],
  'init':             ['/nowhere'],
  'logs':             pair('store', 'x'),
  'webhook examine':  ['http://localhost:9/', ...pair('secret', 'x')],
  'listen':           [...pair('store', 'x'), ...pair('forward-to', 'http://localhost:9/')],
  'demo':             [],
  'export':           ['products', ...pair('store', 'x')],
  'import':           ['/nowhere/file', ...pair('store', 'x')],
  'migrate':          [],
  'backup':           ['/nowhere/file'],
  'backup verify':    ['/nowhere/file'],
  'restore':          ['/nowhere/file'],
}

/** Its dry run is the server's: api.test.ts. */
const remote = ['api']

function leaves(command: Command, before: string[] = []): string[] {
  return command.commands.flatMap((each) => {
    const name = [...before, each.name()]
    const runsItself = each.commands.length === 0 || each.registeredArguments.length > 0
    return [...(runsItself ? [name.join(' ')] : []), ...leaves(each, name)]
  })
}

test('every command is known here', () => {
  const known = [...[changing, later, others].flatMap((table) => Object.keys(table)), ...remote]
  assert.deepEqual(leaves(allCommands()).sort(), known.sort())
})

// What a rehearsal does not tell: the audit log, which tells of the same.
const besides = ['audit_log', 'audit_unsealed', 'store_versions']

test('a dry run tells what the command then changes, and leaves the database as it was to the byte', async (t) => {
  const url = await newDatabase(t)
  const stoa = stoaOn({ DATA_DIR: await newDataDir(t), DATABASE_URL: url })
  const db = openDatabase({ url, clock: systemClock, connections: 2 })
  after(() => db.close())
  to.store = (await stoa.json('store', 'create', '--name', 'First')).store.id
  const made = await stoa.json('key', 'create', ...ofStore(), ...pair('mode', 'live'), ...pair('scopes', 'all'))
  to.key = made.id
  // Marks the database with its secret key, as the first start of a server does.
  await stoa.json('outbox')

  const audited = new Set(
    await namesOf(
      db,
      sql`
    select distinct tgrelid::regclass::text as name from pg_trigger where tgname = 'account_insert'`,
    ),
  )
  /** The tables that its newest entries tell of. */
  const auditedBy = (operation: string) =>
    namesOf(
      db,
      sql`
    select distinct change ->> 'table' as name
    from audit_log
    cross join json_array_elements(changes) as change
    where operation = ${operation}
      and created_at = (select max(created_at) from audit_log)
    order by name`,
    )
  const rehearsedThenDone = async (command: string, args: string[]): Promise<any> => {
    const before: Fingerprint = await fingerprintOf(db)
    const { rehearsal, ...rest } = await stoa.json(...command.split(' '), ...args, '--dry-run')
    assert.deepEqual(rest, {}, `${command} says nothing that is not so`)
    assert.deepEqual(differing(before, await fingerprintOf(db)), [], `${command} left something`)
    const answer = await stoa.json(...command.split(' '), ...args)
    const changed = differing(before, await fingerprintOf(db)).filter((name) => !besides.includes(name))
    const told = new Set(rehearsal.changes.map(({ table }: { table: string }) => table))
    assert.deepEqual([...told].sort(), changed.sort(), command)
    assert.deepEqual(await auditedBy(command), changed.filter((name) => audited.has(name)).sort(), command)
    assert.deepEqual(rehearsal.unread, [])
    return { answer, rehearsal }
  }
  let second = ''
  for (const [command, args] of Object.entries(changing)) {
    if (command === 'user forget-factors') {
      await db.transaction((tx) =>
        tx.rows(sql`insert into totp_factors (user_id, secret, created_at) select id, 'sealed', now() from users`),
      )
    }
    const { answer, rehearsal } = await rehearsedThenDone(command, args())
    if (command === 'store create') second = answer.store.id
    if (command === 'client create') to.client = answer.client_id
    const [{ table, before, after: then }] = rehearsal.changes
    if (command === 'store set-status') {
      assert.deepEqual([table, before.status, then.status], ['stores', 'active', 'paused'])
      const words = await stoa('--dry-run', 'store', 'set-status', to.store, 'active').ended
      const line = `~ stores ${to.store}: status "paused" → "active"`
      assert.ok(words.stdout.startsWith(`Nothing was changed. The command would:\n${line}`), words.stdout)
    }
    assert.doesNotMatch(JSON.stringify(rehearsal), /"(hash|password_hash)":"(?!\*\*\*)/)
  }
  for (const [command, args] of Object.entries(later)) await rehearsedThenDone(command, args(second))
})

const namesOf = async (db: Database, query: Sql) => (await db.rows<{ name: string }>(query)).map(({ name }) => name)

test('what a dry run cannot undo, and what changes nothing, refuses the option and says why', async (t) => {
  const stoa = stoaOn({ DATA_DIR: await newDataDir(t) })
  for (const [command, args] of Object.entries(others)) {
    const { code, error } = await stoa.refused(...command.split(' '), ...args, '--dry-run')
    assert.deepEqual([code, error.code, error.details[0].field], [1, 'VALIDATION_ERROR', 'dry_run'], command)
    assert.match(error.message, /is not supported by this command: it \w+/)
  }
  const words = await stoa('backup', '/nowhere/file', '--dry-run').ended
  assert.equal(words.stderr.trimEnd(), '--dry-run is not supported by this command: it writes a file')
})

test('a dry run refuses what the command would refuse', async (t) => {
  const stoa = stoaOn({ DATA_DIR: await newDataDir(t), DATABASE_URL: await newDatabase(t) })
  const { code, error } = await stoa.refused('store', 'set-plan', 'SH-00000000', 'growth', '--dry-run')
  assert.deepEqual([code, error.code], [1, 'NOT_FOUND'])
})
