// Ends a server so that no request fails: none is cut, and none is on its way to a connection that is being closed.
import http from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

// New connections are still taken: whoever sends them has time to hear from /readyz that others are to be asked.
export const noticeMs = 250
export const holdMs = 100
// A connection that was told nothing may be used at any moment: only one that stays silent for so long is closed.
export const silenceMs = 500
export const patienceMs = 7_000
const shortTurnMs = 0.5
const maximumTurns = 1000

const draining = new WeakSet<http.Server>()

export function isDraining(server: http.Server): boolean {
  return draining.has(server)
}

/** From now on every answer ends its connection. */
export function startDraining(server: http.Server): void {
  if (draining.has(server)) return
  draining.add(server)
  server.prependListener('request', (_request, response) => {
    response.setHeader('connection', 'close')
  })
}

/**
 * Answers what arrives, each with `Connection: close`; then takes no new connection and closes those that stay silent.
 * Requests that still run after `patienceMs` are cut.
 */
export async function drain(server: http.Server): Promise<void> {
  if (!server.listening) return
  startDraining(server)
  const closed = new Promise<void>((resolve) => server.once('close', () => resolve()))
  await sleep(noticeMs)
  await whileHeld(server, async () => {
    await sleep(holdMs)
    await shortTurn()
    // http.Server's own close() also cuts idle connections at once, over which a client may be sending.
    net.Server.prototype.close.call(server)
  })
  await Promise.race([closed, sleep(silenceMs, undefined, { ref: false })])
  // Right after the turn in which what has arrived was read: a request is no silence.
  const sweep = setInterval(() => setImmediate(() => server.closeIdleConnections()), 50)
  await Promise.race([closed, sleep(patienceMs, undefined, { ref: false })])
  clearInterval(sweep)
  server.closeAllConnections()
}

/** What arrives meanwhile is answered afterwards: who waits for an answer does not open the next connection. */
export async function whileHeld(server: http.Server, work: () => Promise<void>): Promise<void> {
  const answer = server.listeners('request') as http.RequestListener[]
  const done = Promise.withResolvers<void>()
  server.removeAllListeners('request')
  server.on('request', async (request, response) => {
    await done.promise
    answer.forEach((listener) => listener.call(server, request, response))
  })
  await work()
  done.resolve()
}

/**
 * The kernel accepts connections by itself, and resets those that nobody has taken when the port is closed. A turn of
 * the event loop takes all of them: right after a short one hardly another can have come.
 */
export async function shortTurn(): Promise<void> {
  for (let turns = 0; turns < maximumTurns; turns++) {
    const startedAt = performance.now()
    await new Promise((resolve) => setImmediate(resolve))
    if (performance.now() - startedAt < shortTurnMs) return
  }
}
