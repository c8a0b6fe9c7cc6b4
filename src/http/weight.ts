// The cost of a request in its key's quota: bodies count in steps, so that a list of thousands of variants costs the
// key what it costs the service.
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The length of a body that was read, if it was not declared. */
    undeclaredBytes: number
  }
}

type Weighed = Pick<FastifyRequest, 'headers' | 'routeOptions' | 'undeclaredBytes'>

const stepBytes = 256 * 1024

/** Every full step of a body counts as one more request, even if it is refused. */
export function declaredWeight(request: Weighed): number {
  return countBodySteps(declaredBytes(request))
}

/** Counts the part that was unknown before the body was read. */
export function remainingWeight(request: Weighed, answerLength: number): number {
  const bytes = declaredBytes(request) + request.undeclaredBytes + answerLength
  return countBodySteps(bytes) - declaredWeight(request)
}

/** A body that is too long is refused unread. */
function declaredBytes({ headers, routeOptions: { bodyLimit = Infinity } }: Weighed): number {
  const bytes = Number(headers['content-length'] ?? 0)
  return bytes > bodyLimit ? 0 : bytes
}

function countBodySteps(bytes: number): number {
  return Math.floor(bytes / stepBytes)
}
