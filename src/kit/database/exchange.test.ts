import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { databaseUrl } from '../../../test/database.ts'
import { exchange, type StatementResult } from './exchange.ts'
import { newUuid } from '../values/ids.ts'
import { Decimal } from '../values/money.ts'
import type { Statement } from './sql.ts'

type Outcome = { rows?: StatementResult['rows']; columns?: string[]; code?: string; message?: string }

test('statements of one exchange are run in order, each with its own rows and columns', async () => {
  const { ask } = await connected()
  const answers = await ask(
    'create temp table log (n int)',
    'insert into log values (1), (2)',
    'select n as number from log',
    'select',
  )
  assert.deepEqual(answers, [
    { rows: [], columns: [] },
    { rows: [], columns: [] },
    { rows: [['1'], ['2']], columns: ['number'] },
    { rows: [[]], columns: [] },
  ])
})

test('after a failure the rest does not run and fails with it, and the connection stays usable', async () => {
  const { ask } = await connected()
  await ask('create temp table log (n int)')
  await ask('begin')
  const [first, ...failed] = await ask(
    'insert into log values (1)',
    'select 1 / 0',
    'insert into log values (2)',
    'commit',
  )
  assert.equal(first!.message, undefined)
  assert.deepEqual(
    failed.map(({ code }) => code),
    ['22012', '22012', '22012'],
  )
  assert.deepEqual((await ask('select 1'))[0]!.code, '25P02')
  await ask('rollback')
  assert.deepEqual(await ask('select count(*) from log'), [{ rows: [['0']], columns: ['count'] }])
})

for (const [when, texts] of [
  ['first', ['select 1 / 0', 'select 1', 'select 2']],
  ['in the middle', ['select 1', 'select 1 / 0', 'select 2']],
  ['last', ['select 1', 'select 2', 'select 1 / 0']],
] as const) {
  test(`a statement that failed ${when} can run again, named or not`, async () => {
    const { ask, named } = await connected()
    for (const asked of [texts, texts, texts.map(named), texts.map(named), texts.map(named)]) {
      const outcomes = await ask(...asked)
      const failed = texts.indexOf('select 1 / 0')
      assert.deepEqual(
        outcomes.map(({ code }) => code),
        texts.map((_, index) => (index < failed ? undefined : '22012')),
      )
      assert.deepEqual(await ask('select 3', named('select 4')), [numbers(3), numbers(4)])
    }
  })
}

test('a new statement may occur twice in an exchange, even after it failed', async () => {
  const { ask, named } = await connected()
  const twice = named('select $1::int')
  const failed = await ask('select 1 / 0', { ...twice, values: [1] }, { ...twice, values: [2] })
  assert.deepEqual(
    failed.map(({ code }) => code),
    ['22012', '22012', '22012'],
  )
  for (const asked of [
    [1, 2],
    [3, 4, 5],
  ]) {
    const answers = await ask(...asked.map((value) => ({ ...twice, values: [value] })))
    assert.deepEqual(
      answers,
      asked.map((value) => numbers(value, 'int4')),
    )
  }
})

test('a new statement that fails at run time stays prepared', async () => {
  const { ask, named } = await connected()
  const divide = named('select 1 / $1::int')
  const by = (value: number) => ({ ...divide, values: [value] })
  assert.equal((await ask(by(0), by(1)))[0]!.code, '22012')
  assert.deepEqual(await ask(by(1), by(1)), [numbers(1), numbers(1)])
  assert.equal((await ask(by(1), by(0), by(1)))[1]!.code, '22012')
  assert.deepEqual(await ask(by(1)), [numbers(1)])
})

test('a statement that could not be parsed is parsed again once it can be', async () => {
  const { ask, named } = await connected()
  const early = named('select n from later_made')
  for (let tries = 0; tries < 3; tries++) assert.equal((await ask('select 1', early, early))[1]!.code, '42P01')
  await ask('create temp table later_made (n int)')
  assert.deepEqual(await ask(early, early), [
    { rows: [], columns: ['n'] },
    { rows: [], columns: ['n'] },
  ])
})

test('a statement whose table changed, or that the server forgot, fails once', async () => {
  const { ask, named } = await connected()
  await ask('create temp table changing (a int)', 'insert into changing values (1)')
  const all = named('select * from changing')
  assert.deepEqual(await ask(all), [{ rows: [['1']], columns: ['a'] }])
  await ask("alter table changing add column b text default 'x'")
  assert.match((await ask(all))[0]!.message!, /cached plan must not change result type/)
  assert.deepEqual(await ask(all), [{ rows: [['1', 'x']], columns: ['a', 'b'] }])
  await ask('deallocate all')
  assert.equal((await ask(all))[0]!.code, '26000')
  assert.deepEqual(await ask(all), [{ rows: [['1', 'x']], columns: ['a', 'b'] }])
})

test('an exchange requested while another fails has its own result', async () => {
  const { ask } = await connected()
  const failing = ask('select 1 / 0', 'select 1')
  await new Promise(setImmediate)
  const next = ask('select 2', 'select 3')
  assert.deepEqual(
    (await failing).map(({ code }) => code),
    ['22012', '22012'],
  )
  assert.deepEqual(await next, [numbers(2), numbers(3)])
})

test('a write is answered after its commit: a deferred constraint still rejects it', async () => {
  const { ask } = await connected()
  await ask('create temp table late (n int unique deferrable initially deferred)', 'insert into late values (1)')
  assert.equal((await ask('insert into late values (1)'))[0]!.code, '23505')
  assert.deepEqual(await ask('select count(*) from late'), [{ rows: [['1']], columns: ['count'] }])
})

test('values arrive as they are', async () => {
  const { ask, named } = await connected()
  const huge = 'ñ€😀\t\n"\'\\{},'.repeat(100_000)
  const cases: [string, unknown, string | null][] = [
    ['text', null, null],
    ['text', undefined, null],
    ['text', '', ''],
    ['text', 'null', 'null'],
    ['text', '👩‍👩‍👧 \u{10ffff} ñ \ufeff', '👩‍👩‍👧 \u{10ffff} ñ \ufeff'],
    ['text', 'a lone \ud800 surrogate', 'a lone \ufffd surrogate'],
    ['text', huge, huge],
    ['text', "$1 %s \\x00 '; drop table stores; --", "$1 %s \\x00 '; drop table stores; --"],
    ['int', 0, '0'],
    ['int', -2147483648, '-2147483648'],
    ['bigint', 9223372036854775807n, '9223372036854775807'],
    ['numeric', 1e-7, '0.0000001'],
    ['numeric', '12345678901234567890.123456789', '12345678901234567890.123456789'],
    ['numeric', new Decimal('999999999999.9999'), '999999999999.9999'],
    ['numeric', new Decimal('-1e-7'), '-0.0000001'],
    ['float8', 0.1, '0.1'],
    ['float8', -0, '0'],
    ['float8', NaN, 'NaN'],
    ['bool', true, 't'],
    ['bool', false, 'f'],
    ['timestamptz', new Date('2026-02-28T23:59:59.999Z'), '2026-02-28 23:59:59.999+00'],
    ['timestamptz', new Date(0), '1970-01-01 00:00:00+00'],
    ['bytea', Buffer.from([0, 1, 255]), '\\x0001ff'],
    ['bytea', new Uint8Array([7, 8]), '\\x0708'],
    ['bytea', Buffer.alloc(0), '\\x'],
    ['jsonb', { b: [1, null, '😀'], a: { 'q"': true } }, '{"a": {"q\\"": true}, "b": [1, null, "😀"]}'],
    ['json', JSON.stringify([1, '2']), '[1,"2"]'],
    ['text[]', [], '{}'],
    [
      'text[]',
      ['a', null, '', 'null', 'NULL', '{,}', '"', '\\', '😀'],
      '{a,NULL,"","null","NULL","{,}","\\"","\\\\",😀}',
    ],
    ['int[]', [1, null, -2], '{1,NULL,-2}'],
    [
      'int[]',
      [
        [1, 2],
        [3, 4],
      ],
      '{{1,2},{3,4}}',
    ],
    ['bool[]', [true, false], '{t,f}'],
    ['bytea[]', [Buffer.from([1]), Buffer.alloc(0)], '{"\\\\x01","\\\\x"}'],
    ['timestamptz[]', [new Date('2026-02-28T23:59:59.999Z')], '{"2026-02-28 23:59:59.999+00"}'],
    ['jsonb[]', [{ a: '"' }], '{"{\\"a\\": \\"\\\\\\"\\"}"}'],
  ]
  const asked = cases.map(([type, value]) => ({ text: `select $1::${type}`, values: [value] }))
  const outcomes = [await ask(...asked), await ask(...asked.map((one) => ({ ...named(one.text), values: one.values })))]
  for (const answered of outcomes) {
    cases.forEach(([type, value, expected], index) =>
      assert.deepEqual(answered[index]!.rows, [[expected]], `${type} ${String(value).slice(0, 50)}`),
    )
  }
})

test('an empty result, one of 100,000 rows and one of 5 MB arrive whole', async () => {
  const { ask } = await connected()
  const [none, many, wide] = await ask(
    'select 1 where false',
    'select generate_series(1, 100000)',
    "select repeat('ñ', 2500000)",
  )
  assert.deepEqual(
    [none!.rows, many!.rows!.length, many!.rows!.at(-1), wide!.rows![0]![0]!.length],
    [[], 100_000, ['100000'], 2_500_000],
  )
})

test('5 MB of values and 500 statements go in one exchange', async () => {
  const { ask } = await connected()
  const texts = Array.from({ length: 500 }, (_, index) => String(index).padEnd(10_000, '.'))
  const outcomes = await ask(...texts.map((text) => ({ text: 'select $1::text', values: [text] })))
  assert.deepEqual(
    outcomes.map(({ rows }) => rows![0]![0]),
    texts,
  )
})

test('more than 400 names live on one connection', async () => {
  const { ask, named } = await connected()
  const statements = Array.from({ length: 1000 }, (_, index) => named(`select ${index}`))
  for (let round = 0; round < 2; round++) {
    const answers = await ask(...statements)
    assert.deepEqual(
      answers.map(({ rows }) => rows![0]![0]),
      statements.map((_, index) => String(index)),
    )
  }
})

test('a connection keeps the 400 most recently used names', async () => {
  const { ask, named } = await connected()
  const usual = named("select 'usual'")
  const prepared = async () =>
    (await ask('select name from pg_prepared_statements'))[0]!.rows!.map(([name]) => String(name))
  for (let index = 0; index < 1000; index++) {
    assert.deepEqual(await ask(named(`select ${index}`)), [numbers(index)])
    if (index % 300 === 0) await ask(usual)
  }
  const names = await prepared()
  assert.ok(names.includes(usual.name!))
  assert.ok(names.length <= 400, String(names.length))
})

test('a value that cannot be sent fails, nothing of its exchange is sent, and the connection goes on', async () => {
  const { ask } = await connected()
  await ask('create temp table log (n int)')
  const circle: { self?: object } = {}
  circle.self = circle
  for (const value of [circle, new Date(NaN), [circle]]) {
    const outcomes = await ask('insert into log values (1)', { text: 'select $1::text', values: [value] }, 'select 1')
    for (const { message } of outcomes) assert.match(message!, /circular|Invalid time/)
    assert.deepEqual(await ask('select count(*) from log'), [{ rows: [['0']], columns: ['count'] }])
  }
})

test("a statement that runs too long fails by the server's own limit, and the connection stays usable", async () => {
  const { ask } = await connected()
  await ask('set statement_timeout = 50')
  const answers = await ask('select 1', 'select pg_sleep(60)', 'select 2')
  assert.deepEqual(
    answers.map(({ code }) => code),
    [undefined, '57014', '57014'],
  )
  assert.deepEqual(await ask('select 3'), [numbers(3)])
})

test(
  'a server that does not answer in time fails all that was asked; ' + 'the connection is of no further use',
  async () => {
    const { ask, send } = await connected()
    const [outcomes, lost] = await send(['select 1', 'select pg_sleep(60)', 'select 2'], 200)
    assert.deepEqual(
      outcomes.slice(1).map(({ code }) => code),
      ['ETIMEDOUT', 'ETIMEDOUT'],
    )
    assert.match(lost!.message, /timeout/)
    assert.match((await ask('select 1'))[0]!.message!, /not queryable/)
  },
)

for (const [where, texts, answered] of [
  [
    'in the middle of an answer',
    ['select 1', "select repeat('x', 10000), pg_sleep(0.001) from generate_series(1, 60000)", 'select 2'],
    1,
  ],
  ['between answers', ['select 1', "select repeat('x', 100000)", 'select pg_sleep(60)', 'select 2'], 2],
] as const) {
  test(`a connection that ends ${where} fails the unanswered statements`, async () => {
    const { ask, client, send } = await connected()
    const pid = await pidOf(client)
    const killer = await connected()
    const answer = send(texts)
    await killer.ask(`select pg_terminate_backend(${pid}) from pg_sleep(0.1)`)
    const [outcomes, lost] = await answer
    outcomes.forEach(({ rows, message }, index) => {
      if (index < answered) assert.ok(rows)
      else assert.match(message!, /terminat/)
    })
    assert.match(lost!.message, /terminat/)
    assert.match((await ask('select 1'))[0]!.message!, /terminat|not queryable/)
  })
}

test('a connection that breaks before or during an exchange fails its statements', async () => {
  const before = await connected()
  before.client.end()
  assert.match((await before.ask('select 1'))[0]!.message!, /closed|terminated|not queryable/)
  const during = await connected()
  const answer = during.send(['select 1', 'select 2'])
  socketOf(during.client).destroy()
  const [outcomes, lost] = await answer
  for (const { message } of outcomes) assert.match(message!, /terminated/)
  assert.match(lost!.message, /terminated/)
})

/** A connection of its own; what is not answered when the test file ends is cut. */
async function connected() {
  const client = new pg.Client({ connectionString: databaseUrl(), options: '-c timezone=UTC' })
  client.on('error', () => {})
  await client.connect()
  after(() => client.end())
  const send = async (asked: readonly (string | Statement)[], timeoutMs = 60_000) => {
    const outcomes: Promise<Outcome>[] = []
    const requests = asked.map((one) => {
      const statement = typeof one === 'string' ? { text: one, values: [] } : one
      const { promise, resolve, reject } = Promise.withResolvers<StatementResult>()
      outcomes.push(
        promise.then(
          ({ rows, columns }) => ({ rows, columns: columns.map(({ name }) => name) }),
          (error: pg.DatabaseError) => ({ message: error.message, code: error.code }),
        ),
      )
      return { statement, resolve, reject }
    })
    const lost = await exchange(client, requests, timeoutMs)
    return [await Promise.all(outcomes), lost] as const
  }
  return {
    client,
    send,
    ask: async (...asked: (string | Statement)[]) => (await send(asked))[0],
    /** The statement under a name that nobody else has. */
    named: (text: string): Statement => ({ text, name: newUuid(), values: [] }),
  }
}

function numbers(value: number, column = '?column?'): Outcome {
  return { rows: [[String(value)]], columns: [column] }
}

async function pidOf(client: pg.Client): Promise<number> {
  return (await client.query('select pg_backend_pid() as pid')).rows[0].pid
}

function socketOf(client: pg.Client): { destroy(): void } {
  return (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream
}
