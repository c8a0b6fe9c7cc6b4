// With WORKERS=N the first process takes the connections and hands them to its workers in turn. So it can stop before
// any of them does, and tell each which connection was its last: none is on its way to a worker that has gone.
import type { Worker } from 'node:cluster'
import type { Server } from 'node:http'
import net, { type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { holdMs, noticeMs, patienceMs, shortTurn, silenceMs, startDraining, whileHeld } from './drain.ts'

/** What the first process tells a worker, and the other way round. */
type Word = Partial<Record<'connection' | 'draining' | 'hold' | 'release' | 'leaving' | 'last', true>>

export type Door = {
  address: string
  /** From now on it is handed connections. */
  admit(worker: Worker): void
  /** Tells all workers, takes what has come by then, and no more. */
  close(): Promise<void>
}

export async function openDoor({ host, port }: { host: string; port: number }): Promise<Door> {
  // The one that was served last is the last in order.
  const workers = new Set<Worker>()
  const early: Socket[] = []
  const hand = (socket: Socket) => {
    const [next] = workers
    if (!next) return void early.push(socket)
    workers.delete(next)
    workers.add(next)
    next.send({ connection: true } satisfies Word, socket, { keepOpen: false }, (error) => error && socket.destroy())
  }
  const server = net.createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, hand)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve())
  })
  return {
    address: addressOf(server.address() as net.AddressInfo),
    admit(worker) {
      workers.add(worker)
      worker.once('exit', () => workers.delete(worker))
      worker.on('message', (word: Word) => {
        if (!word?.leaving) return
        workers.delete(worker)
        // Words arrive in the order in which they were sent, connections included.
        worker.send({ last: true } satisfies Word, () => {})
      })
      early.splice(0).forEach(hand)
    },
    async close() {
      const tell = (word: Word) => workers.forEach((worker) => worker.send(word, () => {}))
      tell({ draining: true })
      await sleep(noticeMs)
      // A client that waits for its answer opens no connection that the closing port would reset.
      tell({ hold: true })
      await sleep(holdMs)
      await shortTurn()
      server.close()
      tell({ release: true })
      early.splice(0).forEach((socket) => socket.destroy())
    },
  }
}

function addressOf({ address, port }: net.AddressInfo): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`
  return `http://${address === '::' ? 'localhost' : address.includes(':') ? `[${address}]` : address}:${port}`
}

type Handed = {
  /** Resolves when the last connection has come. */
  leave(): Promise<void>
  sockets: ReadonlySet<Socket>
}

/** In a worker: serves what it is handed. */
export function serveHanded(server: Server): Handed {
  const sockets = new Set<Socket>()
  const last = Promise.withResolvers<void>()
  // What a server does when it listens, e.g. looking after slow clients.
  server.emit('listening')
  const released = Promise.withResolvers<void>()
  process.on('message', (word: Word, socket?: Socket) => {
    if (word?.draining) startDraining(server)
    if (word?.hold) void whileHeld(server, () => released.promise)
    if (word?.release || word?.last) released.resolve()
    if (word?.last) last.resolve()
    if (!word?.connection || !socket) return
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.allowHalfOpen = true
    server.emit('connection', socket)
  })
  process.once('disconnect', () => {
    released.resolve()
    last.resolve()
  })
  return {
    sockets,
    leave() {
      process.send!({ leaving: true } satisfies Word, undefined, {}, (error) => error && last.resolve())
      return last.promise
    },
  }
}

/** Waits for the last connection; those that stay silent from then on are closed, the others are answered. */
export async function drainHanded(server: Server, { leave, sockets }: Handed): Promise<void> {
  startDraining(server)
  await leave()
  const deadline = performance.now() + silenceMs + patienceMs
  await untilEmpty(sockets, silenceMs)
  while (sockets.size > 0 && performance.now() < deadline) {
    // Right after the turn in which what has arrived was read: a request is no silence.
    await new Promise((resolve) => setImmediate(resolve))
    server.closeIdleConnections()
    await untilEmpty(sockets, 50)
  }
  server.closeAllConnections()
}

async function untilEmpty(sockets: ReadonlySet<unknown>, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs
  while (sockets.size > 0 && performance.now() < end) await sleep(10)
}
