// A webhook receiver for tests: HTTPS on a free port of 127.0.0.1, records what comes and answers as it is told.
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { authority as makeAuthority, type Authority, type Certificate } from './certificate.ts'

/** One request as it came; `body` is the raw bytes, `at` the milliseconds of Date.now() when it was complete. */
export type Received = { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer; at: number }

/** 'hang' never answers, 'reset' ends the connection without an answer. */
export type Answer =
  | 'hang'
  | 'reset'
  | { status?: number; headers?: Record<string, string | string[]>; body?: string | Buffer; delayMs?: number }

export type Receiver = {
  /** https://localhost:port */
  url: string
  port: number
  /** The authority's root, PEM. */
  ca: string
  received: Received[]
  /** Assign to change what it answers; the start is 200 'ok'. */
  answer: (request: Received) => Answer | Promise<Answer>
  /** Connections open now, ever opened, and the most requests that were under way at once. */
  load: { open: number; opened: number; maxAtOnce: number }
  /** The requests once there are `count` of them; rejects after timeoutMs. */
  waitFor: (count: number, timeoutMs?: number) => Promise<Received[]>
  close: () => Promise<void>
}

type Options = { ca?: Authority; certificate?: Certificate; host?: string; answer?: Receiver['answer'] }

/** The authority of every receiver that is given none: one for a process. */
export const testAuthority: Authority = makeAuthority()

export async function receiver(options: Options = {}): Promise<Receiver> {
  const signer = options.ca ?? testAuthority
  const server = createServer(options.certificate ?? signer.issue())
  const sockets = trackSockets(server)
  let underWay = 0

  const self: Receiver = {
    url: '',
    port: 0,
    ca: signer.ca,
    received: [],
    answer: options.answer ?? (() => ({ body: 'ok' })),
    load: { open: 0, opened: 0, maxAtOnce: 0 },
    waitFor: async (count, timeoutMs = 10_000) => {
      const end = Date.now() + timeoutMs
      while (self.received.length < count) {
        if (Date.now() > end) throw new Error(`${self.received.length} of ${count} requests after ${timeoutMs} ms`)
        await new Promise((wake) => setTimeout(wake, 5))
      }
      return self.received
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }

  server.on('connection', (socket: Socket) => {
    self.load.open += 1
    self.load.opened += 1
    socket.on('close', () => {
      self.load.open -= 1
    })
  })
  server.on('request', async (request, response) => {
    underWay += 1
    self.load.maxAtOnce = Math.max(self.load.maxAtOnce, underWay)
    response.on('close', () => {
      underWay -= 1
    })
    const record = await read(request)
    if (!record) return
    self.received.push(record)
    give(await self.answer(record), response)
  })

  server.listen(0, options.host ?? '127.0.0.1')
  await once(server, 'listening')
  self.port = (server.address() as AddressInfo).port
  self.url = `https://localhost:${self.port}`
  return self
}

function trackSockets(server: Server): Set<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  // A client that breaks off a handshake is an expected guest.
  server.on('tlsClientError', () => {})
  return sockets
}

async function read(request: IncomingMessage): Promise<Received | null> {
  try {
    const body = Buffer.concat(await request.toArray())
    return { method: request.method!, path: request.url!, headers: request.headers, body, at: Date.now() }
  } catch {
    return null // The client went away in the middle of its body.
  }
}

function give(answer: Answer, response: ServerResponse): void {
  if (answer === 'hang') return
  if (answer === 'reset') {
    response.socket?.destroy()
    return
  }
  const { status = 200, headers = {}, body = '', delayMs = 0 } = answer
  const send = () => response.writeHead(status, headers).end(body)
  if (delayMs > 0) setTimeout(send, delayMs)
  else send()
}
