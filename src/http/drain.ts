// Ends a server so that no request fails: none is cut off or on its way to a connection that closes.
import type http from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

// New connections are still taken, so that clients can learn from /readyz to ask another node.
const noticeMs = 250
const holdMs = 100
// An idle connection may be used at any moment: it is closed only after this silence. Where others go on serving, it
// can be longer, so that a connection in use gets a response that ends it first.
const silenceMs = 500
const longSilenceMs = 3_000
const patienceMs = 7_500
const sweepEveryMs = 50
const shortTurnMs = 0.5
const maxTurns = 1000

/** A port that requests come through, whether this process serves them or its workers do. */
type Port = {
  /** From now on every response closes its connection. */
  startDraining(): void
  /** Holds arriving requests. */
  hold(): void
  /** Accepts no more connections. */
  close(): void
  /** Answers the requests that were held. */
  release(): void
}

/** A client that waits for its answer opens no connection that the closing port would reset. */
export async function closePort(port: Port): Promise<void> {
  port.startDraining()
  await sleep(noticeMs)
  port.hold()
  await sleep(holdMs)
  await shortTurn()
  port.close()
  port.release()
}

/**
 * The kernel accepts connections by itself, and resets those that were not taken when the port closes. A turn of
 * the event loop takes all of them: right after a short turn, another is unlikely to have arrived.
 */
async function shortTurn(): Promise<void> {
  for (let turns = 0; turns < maxTurns; turns++) {
    const startedAt = performance.now()
    await new Promise((resolve) => setImmediate(resolve))
    if (performance.now() - startedAt < shortTurnMs) return
  }
}

/** Answers what arrives, and ends when the last connection has. Requests that run longer than the patience are cut. */
export async function drain(server: http.Server): Promise<void> {
  if (!server.listening) return
  const closing = new Promise<void>((resolve) => server.once('close', () => resolve()))
  // http.Server's own close() also cuts idle connections at once, over which a client may be sending.
  const close = () => net.Server.prototype.close.call(server)
  let release = () => {}
  const hold = () => (release = holdRequests(server))
  await closePort({ startDraining: () => startDraining(server), hold, close, release: () => release() })
  await closeSilent(server, closing)
}

/** Closes the connections of a server that gets no new ones, once they are silent. */
export async function closeSilent(
  server: http.Server,
  closing: Promise<void>,
  { othersServe = false } = {},
): Promise<void> {
  const withinMs = (ms: number) => Promise.race([closing, sleep(ms, undefined, { ref: false })])
  const quietMs = othersServe ? longSilenceMs : silenceMs
  await withinMs(quietMs)
  // Right after the turn in which what has arrived was read, a connection with a request is not idle.
  const sweep = setInterval(() => setImmediate(() => server.closeIdleConnections()), sweepEveryMs)
  await withinMs(patienceMs - quietMs)
  clearInterval(sweep)
  server.closeAllConnections()
}

const draining = new WeakSet<http.Server>()

export function isDraining(server: http.Server): boolean {
  return draining.has(server)
}

export function startDraining(server: http.Server): void {
  if (draining.has(server)) return
  draining.add(server)
  server.prependListener('request', (_request, response) => {
    response.setHeader('connection', 'close')
  })
}

/** Holds arriving requests until the result is called. */
export function holdRequests(server: http.Server): () => void {
  const listeners = server.listeners('request') as http.RequestListener[]
  const release = Promise.withResolvers<void>()
  server.removeAllListeners('request')
  server.on('request', async (request, response) => {
    await release.promise
    listeners.forEach((listener) => listener.call(server, request, response))
  })
  return release.resolve
}
