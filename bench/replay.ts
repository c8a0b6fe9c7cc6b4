// A read of the server as pgbench runs it: the same texts, prepared once a connection, with the same parameters. Values
// written into the text made pgbench plan for each store and choose other plans (a search took 7 times the server's).
import { prepareValue } from 'pg/lib/utils.js'
import type { Db } from '../src/kit/database/database.ts'
import { compile, type Sql, type Statement } from '../src/kit/database/sql.ts'
import { smallStores, storeId } from './load.ts'

export type Replay = { scripts: string[]; variables: Record<string, string> }

type Read = (db: Db, store: number) => Promise<unknown>

export async function replay(db: Db, read: Read): Promise<Replay> {
  const wholes = await Promise.all(someStores.map((store) => whole(db, (recorder) => read(recorder, store))))
  const [first, ...others] = wholes as [Whole, ...Whole[]]
  const values = first.values.map((value, at) => ({
    isStore: wholes.every(({ values }, n) => values[at] === storeId(someStores[n]!)),
    isSame: others.every(({ values }) => String(values[at]) === String(value)),
  }))
  if (values.some(({ isStore, isSame }) => !isStore && !isSame)) return oneByOne(wholes)
  const variables = variablesOf(first.values, 'p')
  const script = withVariables(first, (at) => (values[at]!.isStore ? storeInTurn : `:p${at}`))
  if (!values.some(({ isStore }) => isStore)) return { scripts: [script], variables }
  return { scripts: [`\\set store :store % ${smallStores} + 1\n${script}`], variables: { ...variables, store: '0' } }
}

// pgbench prepares each script on each connection: few, so that it plans little, and what it reads is in its caches.
const someStores = Array.from({ length: 10 }, (_, index) => index * 100 + 1)
// storeId() in SQL: pgbench counts, but has no strings. Computed once an index scan, in less than a microsecond.
const storeInTurn = `('BE-' || lpad(:store, 8, '0'))`

/** Where more than the store's id differs: a script for each of 10 stores. */
function oneByOne(wholes: Whole[]): Replay {
  return {
    scripts: wholes.map((one, n) => withVariables(one, (at) => `:s${n}p${at}`)),
    variables: Object.assign({}, ...wholes.map(({ values }, n) => variablesOf(values, `s${n}p`))),
  }
}

/** A line for each statement. */
function withVariables({ texts, values }: Whole, nameOf: (at: number) => string): string {
  let at = 0
  return texts
    .map((text) => {
      const from = at
      return `${text
        .trim()
        .replaceAll(/\s*\n\s*/g, ' ')
        .replaceAll(/\$(\d+)/g, (_, position) => {
          const index = from + Number(position) - 1
          at = Math.max(at, index + 1)
          return isNull(values[index]) ? 'null' : nameOf(index)
        })};\n`
    })
    .join('')
}

function variablesOf(values: unknown[], prefix: string): Record<string, string> {
  return Object.fromEntries(values.flatMap((value, at) => (isNull(value) ? [] : [[prefix + at, textOf(value)]])))
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(prepareValue(value))
}

function isNull(value: unknown): boolean {
  return value === null || value === undefined
}

/** All that one request reads: its statements, and their values one after the other. */
type Whole = { texts: string[]; values: unknown[] }

async function whole(db: Db, read: (recorder: Db) => Promise<unknown>): Promise<Whole> {
  const sent: Statement[] = []
  const hear =
    <A>(ask: (query: Sql) => Promise<A>) =>
    (query: Sql) => {
      sent.push(compile(query, recordedAt))
      return ask(query)
    }
  const { clock, rows, one, texts } = db
  await read({ clock, rows: hear(rows) as Db['rows'], one: hear(one) as Db['one'], texts: hear(texts) })
  return { texts: sent.map(({ text }) => text), values: sent.flatMap(({ values }) => values) }
}

const recordedAt = new Date()
