// A database that does not answer, and clients that neither send nor read.
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Stopped from the first to the last, and let go from the last to the first. */
export async function whilePaused(postmaster: number, run: () => Promise<void>): Promise<void> {
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ').map(Number)
  const processes = [postmaster, ...children]
  processes.forEach((pid) => process.kill(pid, 'SIGSTOP'))
  try {
    await run()
  } finally {
    processes.toReversed().forEach((pid) => process.kill(pid, 'SIGCONT'))
  }
}

/** Some send a body byte by byte, some send half a head, some never read what they asked for. */
export function openSlowSockets(
  server: string,
  count: number,
  key: string,
  path: string,
): { end(): void; open(): number } {
  const { hostname, port } = new URL(server)
  const sockets = new Set<Socket>()
  const ending = new AbortController()
  const head = (method: string, target: string, more = '') =>
    [
      `${method} ${target} HTTP/1.1`,
      `Host: ${hostname}`,
      `X-API-Key: ${key}`,
      'Content-Type: application/json',
      more,
      '',
    ].join('\r\n')
  const drip = async (socket: Socket) => {
    for (; !ending.signal.aborted && !socket.destroyed; await sleep(500)) socket.write(' ')
  }
  const kinds: ((socket: Socket) => void)[] = [
    (socket) => void (socket.write(head('POST', '/v1/products', 'Content-Length: 100000\r\n')), drip(socket)),
    (socket) => void socket.write(head('GET', path).slice(0, -4)),
    (socket) => void (socket.write(head('GET', path).repeat(2)), socket.pause()),
    () => {},
  ]
  for (let n = 0; n < count; n++) {
    const socket = connect(Number(port), hostname)
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.on('connect', () => kinds[n % kinds.length]!(socket))
  }
  return {
    end() {
      ending.abort()
      sockets.forEach((socket) => socket.destroy())
    },
    open: () => sockets.size,
  }
}
