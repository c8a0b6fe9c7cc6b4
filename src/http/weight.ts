// What a request weighs in its key's quota: bodies are counted in steps, so that a list of thousands of variants costs
// its key what it costs the service.
import type { FastifyRequest } from 'fastify'

const stepBytes = 256 * 1024

/** Every full step of what was sent and is answered counts as one more request. */
export function extraWeight({ headers }: FastifyRequest, answerLength: number): number {
  return stepsOf(Number(headers['content-length'] ?? 0) + answerLength)
}

export function stepsOf(bytes: number): number {
  return Math.floor(bytes / stepBytes)
}
