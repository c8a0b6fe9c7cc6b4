// A request of the server as pgbench runs it: the same texts, prepared once a connection, with the same parameters, in
// the same exchanges. Values written into the text made pgbench plan for each store and choose other plans (a search
// took 7 times the server's).
import { smallStores, storeId } from './load.ts'
import type { Exchange, Sent } from './wire.ts'

export type Replay = {
  script: string
  /** Parameters that are the same in every transaction. */
  variables: Record<string, string>
  /** Those of each store, which a transaction takes at random; empty where only the store's id differs. */
  choices: Record<string, string>[]
  /** What one request sends. */
  statements: number
  exchanges: number
}

/** What one request of this store sends. */
export type Recording = (store: number) => Promise<Exchange[]>
type Recorded = { exchanges: Exchange[]; values: Value[]; since: number }
type Value = string | null

/** A read: where only the store's id differs, it is counted up; what else differs is looked up. */
export async function replayRead(record: Recording): Promise<Replay> {
  const stores = storesOf(10)
  const recorded = await recordEach(stores, record)
  const [first] = recorded as [Recorded]
  const isStore = (at: number) => recorded.every(({ values }, n) => values[at] === storeId(stores[n]!))
  const isSame = (at: number) => recorded.every(({ values }) => values[at] === first.values[at])
  if (!first.values.every((_, at) => isStore(at) || isSame(at))) return chosen(recorded)
  const script = scriptOf(first.exchanges, (at) => (isStore(at) ? storeInTurn : `:p${at}`))
  const turn = `\\set store :store % ${smallStores} + 1\n`
  return {
    script: turn + script,
    variables: { ...variablesOf(first.values), store: '0' },
    choices: [],
    ...sizeOf(first),
  }
}

/** A write: what it makes is made anew each time, ids that are as young as the recording, and names. */
export async function replayWrite(record: Recording, stores = storesOf(50)): Promise<Replay> {
  const recorded = await recordEach(stores, record)
  const again = await recordEach(stores, record)
  return chosen(recorded, again)
}

const storesOf = (count: number) => Array.from({ length: count }, (_, index) => (index * smallStores) / count + 1)
// storeId() in SQL: pgbench counts, but has no strings. Computed once an index scan, in less than a microsecond.
const storeInTurn = `('BE-' || lpad(:store, 8, '0'))`

async function recordEach(stores: number[], record: Recording): Promise<Recorded[]> {
  const recorded: Recorded[] = []
  for (const store of stores) {
    const since = Date.now()
    const exchanges = await record(store)
    recorded.push({ exchanges, values: exchanges.flat().flatMap(({ values }) => values), since })
  }
  return recorded
}

function sizeOf({ exchanges }: Recorded) {
  return { statements: exchanges.flat().length, exchanges: exchanges.length }
}

/** One script, whose parameters are looked up for one of the recordings: a point read more than the server has. */
function chosen(recorded: Recorded[], again: Recorded[] = recorded): Replay {
  const [first] = recorded as [Recorded]
  const choices = recorded.filter((one) => isAlike(one, first)).map(choiceOf)
  const names = Object.keys(choices[0]!).filter((name) => choices.some((choice) => choice[name] !== choices[0]![name]))
  const picked = choices.map((choice) => Object.fromEntries(names.map((name) => [name, choice[name]!])))
  const script = scriptOf(first.exchanges, (at) => expressionOf(first, again[0]!, at))
  return {
    script: `${random}\n${script}`,
    variables: choices[0]!,
    choices: names.length > 0 ? picked : [],
    ...sizeOf(first),
  }
}

const random = '\\set r random(1, 9000000000000000000)'

/** The same statements with nulls in the same places. */
function isAlike({ exchanges, values }: Recorded, other: Recorded): boolean {
  const textsOf = (all: Exchange[]) => all.map((exchange) => exchange.map(({ text }) => text).join(';')).join('|')
  return (
    textsOf(exchanges) === textsOf(other.exchanges) &&
    values.every((value, at) => (value === null) === (other.values[at] === null))
  )
}

/** p0, p1, … are the parameters; m0, m1, … the ids that the request made. */
function choiceOf(recorded: Recorded): Record<string, string> {
  const made = madeIds(recorded).map((id, index) => [`m${index}`, id])
  return { ...variablesOf(recorded.values), ...Object.fromEntries(made) }
}

function variablesOf(values: Value[]): Record<string, string> {
  return Object.fromEntries(values.flatMap((value, at) => (value === null ? [] : [[`p${at}`, value]])))
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g

function madeIds({ values, since }: Recorded): string[] {
  const ids = new Set(values.flatMap((text) => text?.match(uuid) ?? []))
  return [...ids].filter((id) => millisecondsOf(id) >= since)
}

/** RFC 9562 §5.7: a UUIDv7 begins with its time. */
function millisecondsOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

/** The parameter, with what the request made in it taken from this transaction's :r. */
function expressionOf(recorded: Recorded, again: Recorded, at: number): string {
  const value = recorded.values[at]!
  const made = madeIds(recorded)
  const inside = made.filter((id) => value.includes(id))
  if (inside[0] === value) return `${idOf(made.indexOf(value))}::uuid`
  const text = inside.reduce((inner, id) => {
    const index = made.indexOf(id)
    return `replace(${inner}, :m${index}::text, ${idOf(index)}::uuid::text)`
  }, `:p${at}::text`)
  if (inside.length > 0) return `(${text})::${typeOf(value)}`
  // A slug that had to be made another; an instant or a number may stay.
  const isName = value !== again.values[at] && value.search(uuid) < 0 && /^[a-z][a-z0-9]*-[a-z0-9-]+$/.test(value)
  return isName ? `(:p${at}::text || '-' || :r::text)` : `:p${at}`
}

// In the order of time, as the server's are: ids at random would touch other pages of each index.
function idOf(index: number): string {
  return `(${thisMillisecond} || substr(md5((:r::bigint + ${index})::text), 13))`
}

const thisMillisecond = `lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0')`

function typeOf(value: string): string {
  if (/^\{[0-9a-f",-]+\}$/.test(value)) return 'uuid[]'
  try {
    JSON.parse(value)
    return 'json'
  } catch {
    return value.startsWith('{') ? 'text[]' : 'text'
  }
}

/** A line for each statement; those of one exchange travel together. */
function scriptOf(exchanges: Exchange[], expressionOf: (at: number) => string): string {
  let from = 0
  const lineOf = ({ text, values }: Sent) => {
    const first = from
    from += values.length
    const line = text
      .replaceAll(/--.*$/gm, '')
      .trim()
      .replaceAll(/\s*\n\s*/g, ' ')
    return `${line.replaceAll(/\$(\d+)/g, (_, position) => {
      const at = Number(position) - 1
      return values[at] === null ? 'null' : expressionOf(first + at)
    })};`
  }
  return exchanges
    .flatMap((exchange) => {
      const lines = exchange.map(lineOf)
      return lines.length === 1 ? lines : ['\\startpipeline', ...lines, '\\endpipeline']
    })
    .concat('')
    .join('\n')
}
