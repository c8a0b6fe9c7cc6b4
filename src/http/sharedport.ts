// With WORKERS=N the first process accepts the connections and passes them to its workers in turn. It can stop before
// any worker does, and tell each which connection was its last: none is on its way to a worker that has ended.
import type { Worker } from 'node:cluster'
import type { Server } from 'node:http'
import net, { type Socket } from 'node:net'
import { closePort, closeSilent, holdRequests, startDraining } from './drain.ts'

/** Between the first process and a worker; `taken` and `leaving` come from the worker, all others go to it. */
type Message = Partial<Record<'connection' | 'taken' | 'draining' | 'hold' | 'release' | 'leaving' | 'last', true>>

/**
 * Connections of a worker, which gets one at a time and confirms each. If it dies before, another worker gets
 * the connection, of which nothing was read. Node itself would leave it open forever.
 */
type Lane = { sent: Socket[]; waiting: Socket[] }

export type SharedPort = {
  address: string
  /** From now on the worker gets connections. */
  admit(worker: Worker): void
  /** Notifies all workers, accepts the connections that have arrived by then, and no more. */
  close(): Promise<void>
}

export async function openSharedPort({ host, port }: { host: string; port: number }): Promise<SharedPort> {
  // The one that was served last is the last in order.
  const workers = new Map<Worker, Lane>()
  const early: Socket[] = []
  const send = (worker: Worker, lane: Lane, sockets: Socket[]) =>
    sockets.forEach((socket) => {
      lane.sent.push(socket)
      worker.send({ connection: true } satisfies Message, socket, { keepOpen: true }, () => {})
    })
  const hand = (socket: Socket) => {
    const [next] = workers
    if (!next) return void early.push(socket)
    const [worker, lane] = next
    workers.delete(worker)
    workers.set(worker, lane)
    lane.waiting.push(socket)
    if (lane.sent.length === 0) send(worker, lane, lane.waiting.splice(0, 1))
  }
  const server = net.createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, hand)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve())
  })
  const tell = (message: Message) => [...workers.keys()].forEach((worker) => worker.send(message, () => {}))
  return {
    address: formatListenUrl(server.address() as net.AddressInfo),
    admit(worker) {
      const lane: Lane = { sent: [], waiting: [] }
      workers.set(worker, lane)
      worker.once('exit', () => {
        workers.delete(worker)
        for (const untaken of [...lane.sent, ...lane.waiting]) hand(untaken)
      })
      worker.on('message', (message: Message) => {
        if (message?.taken) {
          lane.sent.shift()?.destroy()
          send(worker, lane, lane.waiting.splice(0, 1))
        }
        if (!message?.leaving) return
        workers.delete(worker)
        send(worker, lane, lane.waiting.splice(0))
        // Messages arrive in the order in which they were sent, connections included.
        worker.send({ last: true } satisfies Message, () => {})
      })
      early.splice(0).forEach(hand)
    },
    async close() {
      await closePort({
        startDraining: () => tell({ draining: true }),
        hold: () => tell({ hold: true }),
        close: () => server.close(),
        release: () => tell({ release: true }),
      })
      early.splice(0).forEach((socket) => socket.destroy())
    },
  }
}

function formatListenUrl({ address, port }: net.AddressInfo): string {
  const isEvery = ['::', '0.0.0.0', '127.0.0.1'].includes(address)
  return `http://${isEvery ? 'localhost' : address.includes(':') ? `[${address}]` : address}:${port}`
}

/** In a worker: serves the connections that it gets, until `drain` has answered the last of them. */
export function serveSharedPort(server: Server): { drain(): Promise<void> } {
  const sockets = new Set<Socket>()
  const [last, closing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isLast = false
  let othersServe = true
  let release = () => {}
  const endLast = () => {
    isLast = true
    last.resolve()
    if (sockets.size === 0) closing.resolve()
  }
  // Listeners of a server that listens, such as the limits of slow clients, start with this.
  server.emit('listening')
  process.on('message', (message: Message, socket?: Socket) => {
    if (message?.draining) {
      othersServe = false
      startDraining(server)
    }
    if (message?.hold) release = holdRequests(server)
    if (message?.release || message?.last) release()
    if (message?.last) endLast()
    if (message?.connection) process.send!({ taken: true } satisfies Message, undefined, {}, () => {})
    if (!message?.connection || !socket) return
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      if (isLast && sockets.size === 0) closing.resolve()
    })
    socket.allowHalfOpen = true
    server.emit('connection', socket)
  })
  process.once('disconnect', () => {
    release()
    endLast()
  })
  return {
    async drain() {
      startDraining(server)
      process.send!({ leaving: true } satisfies Message, undefined, {}, (error) => error && endLast())
      await last.promise
      await closeSilent(server, closing.promise, { othersServe })
    },
  }
}
