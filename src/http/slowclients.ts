// Limits on what a connection may use: a body has a minimum rate, a response is read within a time, and pipelined
// requests are answered one at a time, so that each connection has one response in memory. A client that has
// waited for 20 s without a byte gets a response.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { lateAnswer } from '../kit/values/errors.ts'

export type SlowClientLimits = {
  checkEveryMs: number
  /** Grace before the minimum rate. */
  graceMs: number
  minBytesPerSecond: number
  answerWithinMs: number
  /** Pipelined requests, sent before the response to the first. */
  maxPipelined: number
}

const usual: SlowClientLimits = {
  checkEveryMs: 1000,
  graceMs: 5000,
  minBytesPerSecond: 1024,
  answerWithinMs: 60_000,
  maxPipelined: 64,
}

type OpenRequest = {
  request: IncomingMessage
  response: ServerResponse
  startedAt: number
  bytesBefore: number
  answeredAt?: number
  /** Bytes of the answer that the client had read at its last progress, and when that was. */
  progress?: { bytes: number; at: number }
}

/** Call it when the server has its listeners. */
export function limitSlowClients(server: Server, limits: Partial<SlowClientLimits> = {}): void {
  const { checkEveryMs, maxPipelined, ...patience } = { ...usual, ...limits }
  const openRequests = new Set<OpenRequest>()
  answerInTurn(server, maxPipelined, (request, response) => {
    const call = { request, response, startedAt: performance.now(), bytesBefore: request.socket.bytesRead }
    openRequests.add(call)
    response.once('close', () => openRequests.delete(call))
  })
  const check = () => openRequests.forEach((call) => endIfSlow(server, call, patience))
  const timer = setInterval(check, checkEveryMs).unref()
  // Node's own would cut the connection: a client that waits that long gets a response that says so.
  server.on('timeout', (socket: Socket) => {
    const call = openRequests.values().find(({ request }) => request.socket === socket)
    if (call?.request.complete && !call.response.headersSent) server.emit('clientError', tooLate(), socket)
    else socket.destroy()
  })
  server.once('close', () => clearInterval(timer))
}

/** Responses are sent in the order of the requests: a later one that is ready must wait in memory. */
function answerInTurn(server: Server, maxPipelined: number, onStart: RequestListener): void {
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
    } else if (ahead.length < maxPipelined) ahead.push(run)
    else socket.destroy()
  })
}

type TimeLimits = Pick<SlowClientLimits, 'graceMs' | 'minBytesPerSecond' | 'answerWithinMs'>

function endIfSlow(
  server: Server,
  call: OpenRequest,
  { graceMs, minBytesPerSecond, answerWithinMs }: TimeLimits,
): void {
  const { request, response, startedAt, bytesBefore } = call
  const now = performance.now()
  if (!request.complete) {
    const bytes = request.socket.bytesRead - bytesBefore
    const minBytes = (minBytesPerSecond * (now - startedAt - graceMs)) / 1000
    if (bytes < minBytes) server.emit('clientError', tooSlow(), request.socket)
  } else if (response.writableEnded) {
    call.answeredAt ??= now
    if (now - call.answeredAt > answerWithinMs) request.socket.destroy()
  } else if (response.headersSent && isStalled(call, now, answerWithinMs)) request.socket.destroy()
}

/** An answer that is streamed never ends while nobody reads it. */
function isStalled(call: OpenRequest, now: number, patienceMs: number): boolean {
  const { bytesWritten, writableLength } = call.request.socket
  const bytes = bytesWritten - writableLength
  if (!call.progress || bytes > call.progress.bytes) call.progress = { bytes, at: now }
  return writableLength > 0 && now - call.progress.at > patienceMs
}

function tooLate(): Error {
  return Object.assign(new Error('the response takes too long'), { code: lateAnswer })
}

/** The same response that Node sends for a request that takes too long as a whole. */
function tooSlow(): Error {
  return Object.assign(new Error('the request body arrives too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
}
