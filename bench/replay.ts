// A request of the server as pgbench runs it: the same texts, prepared once a connection, with the same parameters, in
// the same exchanges. Values written into the text made pgbench plan for each store and choose other plans (a search
// took 7 times the server's).
import { smallStores, storeId } from './load.ts'
import type { Exchange, Sent } from './wire.ts'

export type Replay = { scripts: string[]; variables: Record<string, string>; statements: number; exchanges: number }

/** What one request of this store sends. */
export type Recording = (store: number) => Promise<Exchange[]>
type Recorded = { exchanges: Exchange[]; since: number }

/** A read: where only the store's id differs, one script that takes the stores in turn, else one for each of ten. */
export async function replayRead(record: Recording): Promise<Replay> {
  const requests = (await eachOf(storesOf(10), record)).map(({ exchanges }) => exchanges)
  const [first, ...others] = requests.map(valuesOf) as [Value[], ...Value[][]]
  const isStore = (at: number) => requests.every((_, n) => valuesOf(requests[n]!)[at] === storeId(storesOf(10)[n]!))
  const isSame = (at: number) => others.every((values) => values[at] === first[at])
  const indexes = first.map((_, at) => at)
  if (!indexes.every((at) => isStore(at) || isSame(at))) return oneByOne(requests)
  const script = scriptOf(requests[0]!, (at) => (isStore(at) ? storeInTurn : `:p${at}`))
  const turn = indexes.some(isStore) ? `\\set store :store % ${smallStores} + 1\n` : ''
  return { scripts: [turn + script], variables: { ...variablesOf(first, 'p'), store: '0' }, ...sizeOf(requests[0]!) }
}

/** A write: a script for each store. What it makes is made anew each time: ids that began with it, and names. */
export async function replayWrite(record: Recording, stores = storesOf(50)): Promise<Replay> {
  const recorded = await eachOf(stores, record)
  const again = await eachOf(stores, record)
  return oneByOne(
    recorded.map(({ exchanges }) => exchanges),
    (at, n) => madeAnew(recorded[n]!, valuesOf(again[n]!.exchanges), at, `:s${n}p${at}`),
  )
}

const storesOf = (count: number) => Array.from({ length: count }, (_, index) => (index * smallStores) / count + 1)
// storeId() in SQL: pgbench counts, but has no strings. Computed once an index scan, in less than a microsecond.
const storeInTurn = `('BE-' || lpad(:store, 8, '0'))`

type Value = string | null

async function eachOf(stores: number[], record: Recording): Promise<Recorded[]> {
  const recorded: Recorded[] = []
  for (const store of stores) {
    const since = Date.now()
    recorded.push({ exchanges: await record(store), since })
  }
  return recorded
}

function valuesOf(exchanges: Exchange[]): Value[] {
  return exchanges.flat().flatMap(({ values }) => values)
}

function sizeOf(exchanges: Exchange[]) {
  return { statements: exchanges.flat().length, exchanges: exchanges.length }
}

function oneByOne(requests: Exchange[][], expressionOf = (at: number, n: number) => `:s${n}p${at}`): Replay {
  return {
    scripts: requests.map((exchanges, n) => `${random}\n${scriptOf(exchanges, (at) => expressionOf(at, n))}`),
    variables: Object.assign({}, ...requests.map((exchanges, n) => variablesOf(valuesOf(exchanges), `s${n}p`))),
    ...sizeOf(requests[0]!),
  }
}

const random = '\\set r random(1, 9000000000000000000)'

/** A line for each statement; those of one exchange travel together. */
export function scriptOf(exchanges: Exchange[], expressionOf: (at: number) => string): string {
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

function variablesOf(values: Value[], prefix: string): Record<string, string> {
  return Object.fromEntries(values.flatMap((value, at) => (value === null ? [] : [[prefix + at, value]])))
}

const thisMillisecond = `lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0')`
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** `variable`, with every id in it that is as young as the recording taken from this transaction's :r. */
function madeAnew({ exchanges, since }: Recorded, others: Value[], at: number, variable: string): string {
  const values = valuesOf(exchanges)
  const value = values[at]!
  const made = [...new Set(values.flatMap((text) => text?.match(uuid) ?? []))].filter(
    (id) => millisecondsOf(id) >= since,
  )
  // In the order of time, as the server's are: ids at random would touch other pages of each index.
  const idOf = (id: string) => `(${thisMillisecond} || substr(md5((:r::bigint + ${made.indexOf(id)})::text), 13))`
  const ids = [...new Set(value.match(uuid) ?? [])].filter((id) => made.includes(id))
  if (ids[0] === value) return `${idOf(value)}::uuid`
  if (ids.length > 0) {
    const text = ids.reduce((inner, id) => `replace(${inner}, '${id}', ${idOf(id)}::uuid::text)`, `${variable}::text`)
    return `(${text})::${typeOf(value)}`
  }
  // A slug that had to be made another; an instant or a number may stay.
  const isName = value !== others[at] && value.search(uuid) < 0 && /^[a-z][a-z0-9]*-[a-z0-9-]+$/.test(value)
  return isName ? `(${variable}::text || '-' || :r::text)` : variable
}

/** RFC 9562 §5.7: a UUIDv7 begins with its time. */
function millisecondsOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

function typeOf(value: string): string {
  if (/^\{[0-9a-f",-]+\}$/.test(value)) return 'uuid[]'
  try {
    JSON.parse(value)
    return 'json'
  } catch {
    return value.startsWith('{') ? 'text[]' : 'text'
  }
}
