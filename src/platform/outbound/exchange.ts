// One HTTP call and its response, ended by its deadline.
import type { Dispatcher, Pool } from 'undici'
import { failureResult, classifyFailure, type Failure } from './failures.ts'

type HttpAnswer = {
  ok: true
  status: number
  headers: Record<string, string>
  truncated: boolean
  body: string
  bytes: Buffer
}
/**
 * The body is at most maxResponseBytes, as text and as bytes; durationMs is a whole number. The merchant may read
 * `message`.
 */
export type ExchangeResult = { durationMs: number } & (HttpAnswer | ({ ok: false } & Failure))

type Limits = { timeoutMs: number; maxBytes: number }

// undici's request() would cost a stream for each response, and heeds an AbortSignal only once connected.
export function httpExchange(pool: Pool, request: Dispatcher.DispatchOptions, limits: Limits): Promise<ExchangeResult> {
  const { timeoutMs, maxBytes } = limits
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const body = limitedBody(maxBytes)
    let status = 0
    let headers: Record<string, string> = {}
    let running: Dispatcher.DispatchController | undefined
    let isOver = false

    const durationMs = () => Math.round(performance.now() - startedAt)
    const end = (finish: () => void) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      finish()
    }
    const fail = (error: Error) =>
      end(() => {
        if (callerErrors.has((error as NodeJS.ErrnoException).code ?? '')) reject(error)
        else resolve({ ok: false, ...classifyFailure(error, 'answer'), durationMs: durationMs() })
      })
    const answer = (isTruncated: boolean) =>
      end(() => {
        resolve({ ok: true, status, headers, truncated: isTruncated, durationMs: durationMs(), ...body.read() })
      })
    const timer = setTimeout(() => {
      const progress = status
        ? `status ${status}, ${body.size()} bytes of body`
        : running
          ? 'no answer'
          : 'no connection'
      const timeout = timeoutFailure(timeoutMs, progress)
      fail(timeout)
      running?.abort(timeout)
    }, timeoutMs)

    pool.dispatch(request, {
      onRequestStart: (controller) => {
        if (isOver) throw new Error('the deadline passed while the call waited for a connection')
        running = controller
      },
      // Also called for 1xx; the last call is for the final response.
      onResponseStart: (_controller, statusCode, responseHeaders) => {
        status = statusCode
        headers = joinHeaders(responseHeaders)
      },
      onResponseData: (controller, chunk) => {
        if (body.add(chunk)) return
        answer(true)
        controller.abort(new Error('the body is too large'))
      },
      onResponseEnd: () => answer(false),
      onResponseError: (_controller, error) => fail(error),
    })
  })
}

function timeoutFailure(timeoutMs: number, progress: string): Error {
  const seconds = timeoutMs / 1_000
  return failureResult('TIMEOUT', `No complete response within ${seconds} seconds.`, `${progress} after ${seconds} s`)
}

function limitedBody(maxBytes: number) {
  const chunks: Buffer[] = []
  let size = 0
  return {
    size: () => size,
    read() {
      const bytes = Buffer.concat(chunks)
      return { bytes, body: bytes.toString() }
    },
    /** Returns true if the whole chunk fits. */
    add(chunk: Buffer): boolean {
      const room = maxBytes - size
      chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
      size += chunk.length
      return size <= maxBytes
    },
  }
}

// Errors of the caller: an invalid header, a call after close().
const callerErrors = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
])

function joinHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (Array.isArray(value)) headers[name] = value.join(', ')
  }
  return headers as Record<string, string>
}
