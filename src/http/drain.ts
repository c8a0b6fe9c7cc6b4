// Ends a server so that no request fails: none is cut, and none is on its way to a connection that is being closed.
import http from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const noticeMs = 500
const patienceMs = 7_000

/**
 * Takes no new connection, answers what arrives on the open ones, each with `Connection: close`, and closes those that
 * stay silent. Requests that still run after `patienceMs` are cut.
 */
export async function drain(server: http.Server): Promise<void> {
  if (!server.listening) return
  const closed = new Promise<void>((resolve) => server.once('close', () => resolve()))
  server.prependListener('request', (_request, response) => {
    response.setHeader('connection', 'close')
  })
  // http.Server's own close() also cuts idle connections at once, over which a client may be sending.
  net.Server.prototype.close.call(server)
  await Promise.race([closed, sleep(noticeMs, undefined, { ref: false })])
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  server.closeIdleConnections()
  await Promise.race([closed, sleep(patienceMs, undefined, { ref: false })])
  clearInterval(sweep)
  server.closeAllConnections()
}
