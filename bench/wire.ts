// What a request sends to PostgreSQL, read on the way: a socket between server and PostgreSQL that understands three
// messages of the protocol. So pgbench runs the server's own statements, in the exchanges in which they travel.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sessionSettings } from '../src/kit/database/connections.ts'
import { chooseSettings } from '../src/kit/database/settings.ts'

/** A parameter is the text that was sent, or null. */
export type Sent = { text: string; values: (string | null)[] }
/** Statements that travelled together: what stands before one Sync. */
export type Exchange = Sent[]

export type Wire = {
  /** The database's address by way of this socket. */
  url: string
  /** What one call sends for a store; what timers and deliveries send meanwhile names none, or another. */
  exchangesOf(storeId: string, call: () => Promise<unknown>): Promise<Exchange[]>
  close(): void
}

/** What sessions of the server set, as libpq takes it in PGOPTIONS: pgbench audits and plans as the server does. */
export const sessionOptions = [
  ...sessionSettings,
  ...chooseSettings({ hasRowSecurity: false, isAudited: true, isDistributed: false }).session,
]
  .map((setting) => `-c ${setting}`)
  .join(' ')

/** `url` names a Unix socket, as the embedded PostgreSQL's does. */
export async function openWire(url: string): Promise<Wire> {
  const database = new URL(url)
  const folder = mkdtempSync(join(tmpdir(), 'stoa-wire-'))
  const connections: Exchange[][] = []
  const open = new Set<Socket>()
  const server: Server = createServer((client) => {
    const upstream = connect(socketOf(database))
    const exchanges: Exchange[] = []
    connections.push(exchanges)
    const read = reader((exchange) => exchanges.push(exchange))
    client.on('data', (bytes) => {
      read(bytes)
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => client.write(bytes))
    endTogether(client, upstream)
    endTogether(upstream, client)
    open.add(client).add(upstream)
  })
  server.listen(join(folder, '.s.PGSQL.5432'))
  await once(server, 'listening')
  const through = new URL(url)
  through.searchParams.set('host', folder)
  through.port = '5432'
  return {
    url: through.href,
    async exchangesOf(storeId, call) {
      for (const exchanges of connections) exchanges.length = 0
      await call()
      const spellings = [storeId, `{${storeId}}`, `{"${storeId}"}`]
      const names = ({ values }: Sent) => values.some((value) => value !== null && spellings.includes(value))
      return connections
        .flatMap(unitsOf)
        .filter((unit) => unit.flat().some(names))
        .flat()
    },
    close() {
      for (const socket of open) socket.destroy()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The exchanges of each transaction together; each other one alone. */
function unitsOf(exchanges: Exchange[]): Exchange[][] {
  const units: Exchange[][] = []
  let isOpen = false
  for (const exchange of exchanges) {
    if (isOpen) units.at(-1)!.push(exchange)
    else units.push([exchange])
    const texts = exchange.map(({ text }) => text.trim().toLowerCase())
    if (texts.some((text) => text.startsWith('begin'))) isOpen = true
    if (texts.some((text) => text === 'commit' || text === 'rollback')) isOpen = false
  }
  return units
}

function endTogether(socket: Socket, other: Socket): void {
  socket.on('error', () => other.destroy())
  socket.on('close', () => other.destroy())
}

/** Node's and libpq's spelling of a socket's folder: postgres://user@/database?host=/folder&port=5432 */
function socketOf(database: URL): string {
  return join(database.searchParams.get('host')!, `.s.PGSQL.${database.searchParams.get('port') ?? '5432'}`)
}

/** Reads one connection's bytes to the server. https://www.postgresql.org/docs/18/protocol-message-formats.html */
function reader(hear: (exchange: Exchange) => void): (bytes: Buffer) => void {
  const texts = new Map<string, string>()
  let rest: Buffer = Buffer.alloc(0)
  let exchange: Exchange = []
  let isStarted = false
  const understand = (type: string, body: Buffer) => {
    if (type === 'P') {
      const [name, text] = stringsOf(body, 2) as [string, string]
      texts.set(name, text)
    } else if (type === 'B') {
      const [, name] = stringsOf(body, 2) as [string, string]
      exchange.push({ text: texts.get(name)!, values: valuesOf(body) })
    } else if (type === 'Q') {
      exchange.push({ text: stringsOf(body, 1)[0]!, values: [] })
    }
    if (type === 'S' || type === 'Q') {
      if (exchange.length > 0) hear(exchange)
      exchange = []
    }
  }
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    // The first message has no type.
    for (let head = isStarted ? 1 : 0; rest.length >= head + 4; head = isStarted ? 1 : 0) {
      const end = head + rest.readInt32BE(head)
      if (rest.length < end) return
      if (isStarted) understand(String.fromCharCode(rest[0]!), rest.subarray(5, end))
      isStarted = true
      rest = rest.subarray(end)
    }
  }
}

function stringsOf(body: Buffer, count: number): string[] {
  const strings: string[] = []
  let from = 0
  for (let n = 0; n < count; n++) {
    const end = body.indexOf(0, from)
    strings.push(body.toString('utf8', from, end))
    from = end + 1
  }
  return strings
}

/** Of a Bind: portal, statement, formats, then the parameters, each with its length; -1 is null. */
function valuesOf(body: Buffer): (string | null)[] {
  let at = body.indexOf(0, body.indexOf(0) + 1) + 1
  const formats = Array.from({ length: body.readInt16BE(at) }, (_, n) => body.readInt16BE(at + 2 + 2 * n))
  at += 2 + 2 * formats.length
  const count = body.readInt16BE(at)
  at += 2
  return Array.from({ length: count }, (_, n) => {
    const length = body.readInt32BE(at)
    at += 4
    if (length < 0) return null
    const bytes = body.subarray(at, (at += length))
    const isBinary = (formats.length === 1 ? formats[0] : formats[n]) === 1
    return isBinary ? `\\x${bytes.toString('hex')}` : bytes.toString('utf8')
  })
}
