// The guarded fetch is the only way to call a stranger's URL (webhook deliveries, client metadata documents): https
// only, public addresses only, no redirects, no decompression, and a deadline for every call.
import type { Reason } from '../../kit/values/faults.ts'
import { lazy } from '../../kit/values/lazy.ts'
import { notPublic, refuseUrl, type Network } from './addresses.ts'
import { httpExchange, type ExchangeResult } from './exchange.ts'
import { addressNotAllowed, classifyFailure, type FailureClass } from './failures.ts'
import type { LanePools } from './lanes.ts'
import { checkedAddresses, nameLookup, type NameResolver } from './names.ts'

export { parseNetworks } from './addresses.ts'
export type { FailureClass, NameResolver, ExchangeResult }

/**
 * Calls of one lane share at most 8 connections to an origin and wait for each other; lanes never do. Give each party
 * its own lane, so that one hanging path of a shared host does not delay the others.
 */
type CallOptions = { headers?: Record<string, string>; lane?: string; timeoutMs?: number; maxResponseBytes?: number }

export type GuardedFetch = {
  post: (url: string, options: CallOptions & { body: string | Uint8Array }) => Promise<ExchangeResult>
  get: (url: string, options?: CallOptions) => Promise<ExchangeResult>
  /** Like refuseUrl, but resolves the name: refuses a private address, but not a name without addresses. */
  resolveCheck: (url: string) => Promise<Reason | null>
  /** The number of open connection pools; a pool closes with its last connection. */
  poolCount: () => number
  /** Waits for calls in progress; later ones are rejected. */
  close: () => Promise<void>
}

export type FetchOptions = {
  allowedNetworks: readonly Network[]
  resolver?: NameResolver
  /** PEM certificates trusted beside the default roots and those of NODE_EXTRA_CA_CERTS. */
  ca?: string | string[]
  connectTimeoutMs?: number
  resolveTimeoutMs?: number
  resolveTtlMs?: number
  idleTimeoutMs?: number
}

const maxTargets = 2_000
const defaultTimeoutMs = 15_000
const defaultMaxResponseBytes = 65_536

export function guardedFetch(options: FetchOptions): GuardedFetch {
  const { allowedNetworks, idleTimeoutMs = 4_000 } = options
  const lookUp = nameLookup({
    resolver: options.resolver,
    timeoutMs: options.resolveTimeoutMs,
    ttlMs: options.resolveTtlMs,
  })
  const lookUpAddresses = checkedAddresses(lookUp, allowedNetworks)
  let openPools: LanePools | undefined
  // A service that makes no calls does without undici and the root certificates.
  const pools = lazy(async () => {
    const { lanePools } = await import('./lanes.ts')
    const timeoutMs = options.connectTimeoutMs ?? 5_000
    const { ca } = options
    return (openPools = lanePools({ lookUpAddresses, allowedNetworks, ca, timeoutMs, idleTimeoutMs }))
  })
  const targets = new Map<string, Target>()
  let isClosed = false

  // The same URL is called again and again. The cached part does not depend on any resolver.
  const resolveTarget = (url: string): Target => {
    const existing = targets.get(url)
    if (existing) return existing
    if (targets.size >= maxTargets) targets.clear()
    const target = readTarget(url, allowedNetworks)
    targets.set(url, target)
    return target
  }

  const call = async (method: 'GET' | 'POST', url: string, options: CallOptions & { body?: string | Uint8Array }) => {
    const { of: poolOf } = await pools()
    if (isClosed) throw new Error('the guarded fetch is closed')
    const { refusal, origin, path } = resolveTarget(url)
    if (refusal !== null) return blockedResult(refusal)
    const request = { method, path, headers: options.headers, body: options.body }
    const { lane = '', timeoutMs = defaultTimeoutMs, maxResponseBytes = defaultMaxResponseBytes } = options
    return httpExchange(poolOf(origin, lane), request, { timeoutMs, maxBytes: maxResponseBytes })
  }

  return {
    post: (url, options) => call('POST', url, options),
    get: (url, options = {}) => call('GET', url, options),
    resolveCheck: async (url) => {
      const refusal = refuseUrl(url, allowedNetworks)
      if (refusal) return refusal
      try {
        await lookUpAddresses(new URL(url).hostname)
        return null
      } catch (error) {
        return classifyFailure(error as Error, 'resolve').error === 'BLOCKED_ADDRESS' ? notPublic : null
      }
    },
    poolCount: () => openPools?.count() ?? 0,
    close: async () => {
      isClosed = true
      await openPools?.close()
    },
  }
}

type Target = { refusal: Reason | null; origin: string; path: string }

function readTarget(url: string, allowedNetworks: readonly Network[]): Target {
  const refusal = refuseUrl(url, allowedNetworks)
  if (refusal) return { refusal, origin: '', path: '' }
  const { origin, pathname, search } = new URL(url)
  return { refusal, origin, path: pathname + search }
}

function blockedResult(reason: Reason): ExchangeResult {
  const message = addressNotAllowed(reason)
  return { ok: false, error: 'BLOCKED_ADDRESS', message, detail: message, durationMs: 0 }
}
