// Counts a call against each limit of its endpoint. A call with a wrong secret is not counted against the client, nor
// is one refused before its secret was checked: otherwise anyone could use up its window. Wrong secrets count in a
// window of their address, which does not block a client that has authenticated from there before.
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../kit/values/clock.ts'
import { addressBlock } from '../../platform/ratelimit/addressblock.ts'
import { waitSeconds, type RateLimiter } from '../../platform/ratelimit/ratelimit.ts'
import { readBodyField, type OauthCall, type EndpointLimit } from './endpoint.ts'

/** Seconds to wait, or a callback that tells the limits how the call ended. */
type Admission = { waitSeconds: number } | { settle: (status: number) => Promise<void> }

const maxFamiliar = 10_000

export function admission(limiter: RateLimiter, clock: Clock) {
  const familiar = new LRUCache<string, true>({ max: maxFamiliar })
  return async (call: OauthCall, path: string, limits: readonly EndpointLimit[]): Promise<Admission> => {
    const block = addressBlock(call.ip)
    const client = readClientId(call)
    const place = `${client} ${block}`
    const names = { ip: block, client, wrong: familiar.has(place) ? place : block }
    const ifWrong: (() => unknown)[] = []
    for (const { by, count, windowSeconds } of limits) {
      if (!names[by]) continue
      const name = `oauth:${path}:${by}:${names[by]}`
      const add = (cost: number) => limiter.hit(name, count, { windowSeconds, cost })
      const hit = await add(by === 'wrong' ? 0 : 1)
      const isFull = by === 'wrong' ? hit.remaining === 0 : !hit.allowed
      if (isFull) {
        if (by === 'client') await add(-1)
        return { waitSeconds: waitSeconds(hit, clock.now(), windowSeconds) }
      }
      if (by !== 'ip') ifWrong.push(() => add(by === 'wrong' ? 1 : -1))
    }
    return {
      settle: async (status) => {
        if (status === 401) for (const act of ifWrong) await act()
        else if (client && status === 200 && ifWrong.length > 0) familiar.set(place, true)
      },
    }
  }
}

/** The client_id that the call claims, by HTTP Basic or in the body. */
function readClientId(call: OauthCall): string | undefined {
  const [scheme, credentials] = (call.raw.headers.authorization ?? '').split(' ')
  if (scheme?.toLowerCase() !== 'basic') return readBodyField(call, 'client_id')?.slice(0, 300)
  const [id = ''] = Buffer.from(credentials ?? '', 'base64')
    .toString()
    .split(':')
  return formDecoded(id).slice(0, 300)
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
