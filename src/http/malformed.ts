// Bytes that are not HTTP never become a request. They are answered on the bare socket, in the contract's envelope.
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { malformed, type ApiError } from '../kit/values/errors.ts'
import type { Hit, RateLimiter } from '../platform/ratelimit/ratelimit.ts'
import { baseHeaders } from './securityheaders.ts'
import { anonymousHit } from './routelimits.ts'

// An import would load the whole module, including fetch and WebSocket: 4 MB of memory.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

export function refuseMalformed(limiter: RateLimiter) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy(error)
    // It has requested nothing that could be refused: its window is read, but it does not count.
    Promise.resolve(anonymousHit(limiter, socket.remoteAddress ?? '', 0))
      .then((hit) => socket.end(formatRawResponse(malformed(error.code), hit)))
      .catch(() => socket.destroy())
  }
}

function formatRawResponse({ status, headers, body }: ApiError, { limit, remaining, reset }: Hit): string {
  const lines = Object.entries({
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': randomUUID(),
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': reset,
    connection: 'close',
    ...baseHeaders,
    ...headers,
  })
  const head = lines.map((line) => `${line.join(': ')}\r\n`).join('')
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`
}
