// A way to PostgreSQL that can be slow or cut off, for one server while others have theirs.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform } from 'node:stream'

export type Detour = {
  /** The database's URL by way of it. */
  url: string
  /** What PostgreSQL answers comes so much later. */
  delayMs: number
  /** Breaks all connections, and refuses new ones until `isCut` is false again. */
  cut(): void
  isCut: boolean
  close(): void
}

/** `url` names a Unix socket, as the embedded PostgreSQL's does. */
export async function openDetour(url: string): Promise<Detour> {
  const database = new URL(url)
  const target = join(database.searchParams.get('host')!, `.s.PGSQL.${database.port || 5432}`)
  const folder = mkdtempSync(join(tmpdir(), 'stoa-detour-'))
  const open = new Set<Socket>()
  const server = createServer((client) => {
    if (detour.isCut) return client.destroy()
    const upstream = connect(target)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one)
      one.on('error', () => {})
      one.on('close', () => (open.delete(one), other.destroy()))
    }
    client.pipe(upstream)
    upstream.pipe(late(() => detour.delayMs)).pipe(client)
  })
  server.listen(join(folder, '.s.PGSQL.5432'))
  await once(server, 'listening')
  const through = new URL(url)
  through.searchParams.set('host', folder)
  through.port = '5432'
  const detour: Detour = {
    url: through.href,
    delayMs: 0,
    isCut: false,
    cut() {
      detour.isCut = true
      open.forEach((socket) => socket.destroy())
    },
    close() {
      detour.cut()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return detour
}

/** Each part waits as long, whatever went before. */
function late(delayMs: () => number): Transform {
  return new Transform({
    transform(part, _, done) {
      if (delayMs() === 0) return done(null, part)
      setTimeout(() => this.push(part), delayMs())
      done()
    },
  })
}
