// What a guarded fetch meets: servers that misbehave, resolvers that lie, a canary that counts bytes.
// All of it is closed when the test file ends.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import tls from 'node:tls'
import { after } from 'node:test'
import { guardedFetch, parseNetworks } from '../src/platform/outbound/fetch.ts'
import type { FetchOptions, NameResolver, ExchangeResult } from '../src/platform/outbound/fetch.ts'
import type { Certificate } from './certificate.ts'
import { receiver, testAuthority } from './receiver.ts'

const loopback = parseNetworks('127.0.0.0/8')
const closers: (() => unknown)[] = []
after(() => Promise.all(closers.map((close) => close())))

export function guarded(options: Partial<FetchOptions> = {}) {
  const fetch = guardedFetch({ allowedNetworks: loopback, ca: testAuthority.ca, resolveTtlMs: 0, ...options })
  closers.push(fetch.close)
  return fetch
}

export async function running(options?: Parameters<typeof receiver>[0]) {
  const self = await receiver(options)
  closers.unshift(self.close)
  return self
}

/** A server below HTTP that counts connections and bytes. */
export async function listening(server: net.Server, host = '127.0.0.1') {
  const sockets = new Set<net.Socket>()
  const seen = { port: 0, connections: 0, bytes: 0, sockets }
  server.on('connection', (socket: net.Socket) => {
    seen.connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
  })
  server.on('tlsClientError', () => {})
  server.listen(0, host)
  await once(server, 'listening')
  closers.unshift(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  seen.port = (server.address() as net.AddressInfo).port
  return seen
}

/** Counts every byte that reaches any address of this machine. */
export async function canary() {
  const count = (socket: net.Socket) =>
    socket.on('data', (chunk) => {
      seen.bytes += chunk.length
    })
  // 0.0.0.0 on a machine without IPv6
  const seen = await listening(net.createServer(count), '::').catch(() => listening(net.createServer(count), '0.0.0.0'))
  return seen
}

/** A TLS server that speaks what `talk` says once a request has come. */
export function speaking(talk: (socket: tls.TLSSocket) => void, certificate: Certificate = testAuthority.issue()) {
  return listening(
    tls.createServer(certificate, (socket) => {
      socket.on('error', () => {}).on('data', () => talk(socket))
    }),
  )
}

/** A resolver that gives the addresses of each question in turn, the last ones for ever. */
export function answering(...turns: string[][]): NameResolver {
  let turn = 0
  let current: string[] = []
  const family = (version: number) => {
    const found = current.filter((address) => net.isIP(address) === version)
    if (found.length === 0) throw Object.assign(new Error('no data'), { code: 'ENODATA' })
    return found
  }
  return {
    resolve4: async () => {
      current = turns[Math.min(turn, turns.length - 1)]!
      turn += 1
      return family(4)
    },
    resolve6: async () => family(6),
  }
}

export async function eventually(isTrue: () => boolean) {
  for (let wait = 0; wait < 500 && !isTrue(); wait += 1) await new Promise((wake) => setTimeout(wake, 10))
  assert.ok(isTrue())
}

export function assertFailed(outcome: ExchangeResult, error: string, message?: RegExp) {
  assert.ok(!outcome.ok, JSON.stringify(outcome))
  assert.equal(outcome.error, error, outcome.detail)
  assert.match(outcome.message, message ?? /\.$/)
  assert.doesNotMatch(outcome.message, /\d+\.\d+\.\d+\.\d+|::/, 'the merchant reads no address')
}
