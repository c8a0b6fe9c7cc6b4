// What a connection may take of the server: a body comes at a least rate, an answer is read within a time, and of
// requests that are sent ahead one is answered at a time, so that one answer of each connection is in memory. And what
// the server may take of its time: whoever has waited for 20 s without a byte is answered.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { lateAnswer } from '../kit/values/errors.ts'

export type SlowClientLimits = {
  checkEveryMs: number
  /** So long a body may take whatever its rate. */
  graceMs: number
  leastBytesPerSecond: number
  answerWithinMs: number
  /** Requests that are sent ahead, before the answer to the first. */
  maximumAhead: number
}

const usual: SlowClientLimits = {
  checkEveryMs: 1000,
  graceMs: 5000,
  leastBytesPerSecond: 1024,
  answerWithinMs: 60_000,
  maximumAhead: 64,
}

type UnderWay = {
  request: IncomingMessage
  response: ServerResponse
  startedAt: number
  bytesBefore: number
  answeredAt?: number
  /** What the client had taken of the answer when it last took anything, and when that was. */
  taken?: { bytes: number; at: number }
}

/** Call it when the server has its listeners. */
export function limitSlowClients(server: Server, limits: Partial<SlowClientLimits> = {}): void {
  const { checkEveryMs, maximumAhead, ...patience } = { ...usual, ...limits }
  const underWay = new Set<UnderWay>()
  takeTurns(server, maximumAhead, (request, response) => {
    const call = { request, response, startedAt: performance.now(), bytesBefore: request.socket.bytesRead }
    underWay.add(call)
    response.once('close', () => underWay.delete(call))
  })
  const check = () => underWay.forEach((call) => endIfSlow(server, call, patience))
  const timer = setInterval(check, checkEveryMs).unref()
  // Node's own would cut the connection: who waits that long is answered that it is too long.
  server.on('timeout', (socket: Socket) => {
    const call = underWay.values().find(({ request }) => request.socket === socket)
    if (call?.request.complete && !call.response.headersSent) server.emit('clientError', tooLate(), socket)
    else socket.destroy()
  })
  server.once('close', () => clearInterval(timer))
}

/** Answers are sent in the order of the requests: to work at a later one before means to keep its answer. */
function takeTurns(server: Server, maximumAhead: number, onStart: RequestListener): void {
  const listeners = server.listeners('request') as RequestListener[]
  const waiting = new WeakMap<Socket, (() => void)[]>()
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const { socket } = request
    const run = () => {
      response.once('close', () => {
        const next = waiting.get(socket)?.shift()
        if (next) next()
        else waiting.delete(socket)
      })
      onStart(request, response)
      listeners.forEach((listener) => listener.call(server, request, response))
    }
    const ahead = waiting.get(socket)
    if (!ahead) {
      waiting.set(socket, [])
      run()
    } else if (ahead.length < maximumAhead) ahead.push(run)
    else socket.destroy()
  })
}

type Patience = Pick<SlowClientLimits, 'graceMs' | 'leastBytesPerSecond' | 'answerWithinMs'>

function endIfSlow(server: Server, call: UnderWay, { graceMs, leastBytesPerSecond, answerWithinMs }: Patience): void {
  const { request, response, startedAt, bytesBefore } = call
  const now = performance.now()
  if (!request.complete) {
    const bytes = request.socket.bytesRead - bytesBefore
    const expected = (leastBytesPerSecond * (now - startedAt - graceMs)) / 1000
    if (bytes < expected) server.emit('clientError', tooSlow(), request.socket)
  } else if (response.writableEnded) {
    call.answeredAt ??= now
    if (now - call.answeredAt > answerWithinMs) request.socket.destroy()
  } else if (response.headersSent && isStalled(call, now, answerWithinMs)) request.socket.destroy()
}

/** An answer that is streamed never ends while nobody reads it. */
function isStalled(call: UnderWay, now: number, patienceMs: number): boolean {
  const { bytesWritten, writableLength } = call.request.socket
  const bytes = bytesWritten - writableLength
  if (!call.taken || bytes > call.taken.bytes) call.taken = { bytes, at: now }
  return writableLength > 0 && now - call.taken.at > patienceMs
}

function tooLate(): Error {
  return Object.assign(new Error('the answer takes too long'), { code: lateAnswer })
}

/** The same that Node says of a request that takes too long as a whole. */
function tooSlow(): Error {
  return Object.assign(new Error('the body comes too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
}
