// The cost of a request in its key's quota: bodies count in steps, so that a list of thousands of variants costs the
// key what it costs the service.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RateLimiter } from '../platform/ratelimit/ratelimit.ts'
import { showLimit } from './routelimits.ts'

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

/** Charges the part that was unknown before the body was read. */
export async function chargeWeight(
  request: FastifyRequest,
  reply: FastifyReply,
  answerLength: number,
  { limiter }: { limiter: RateLimiter },
): Promise<void> {
  const bytes = declaredBytes(request) + request.undeclaredBytes + answerLength
  const cost = countBodySteps(bytes) - declaredWeight(request)
  const { name, limit } = request.access!.quota
  if (cost > 0) showLimit(reply, await limiter.hit(name, limit, { cost }))
}

/** A body that is too long is refused unread. */
function declaredBytes({ headers, routeOptions: { bodyLimit = Infinity } }: Weighed): number {
  const bytes = Number(headers['content-length'] ?? 0)
  return bytes > bodyLimit ? 0 : bytes
}

function countBodySteps(bytes: number): number {
  return Math.floor(bytes / stepBytes)
}
