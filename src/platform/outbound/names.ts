// Resolves host names by c-ares: getaddrinfo runs two at a time in Node's pool, so eight dead names delayed a living
// one by 40 s. Names of /etc/hosts are therefore unknown here.
import { Resolver } from 'node:dns/promises'
import { LRUCache } from 'lru-cache'
import { isAllowed, notPublic, ownAddresses, type Network } from './addresses.ts'
import { addressNotAllowed, failureResult } from './failures.ts'

export type NameResolver = {
  resolve4: (name: string) => Promise<string[]>
  resolve6: (name: string) => Promise<string[]>
  resolveTxt?: (name: string) => Promise<string[][]>
}

type NameLookupOptions = { resolver?: NameResolver | undefined; timeoutMs?: number; ttlMs?: number }
export type NameLookup = (name: string) => Promise<string[]>
export type AddressesOf = (hostname: string) => Promise<string[]>

const maxEntries = 1_000
const failureTtlMs = 1_000

/**
 * All addresses of a name, IPv4 first; throws a DNS failure. Lookups in progress are shared, results are cached for
 * ttlMs.
 */
export function nameLookup({ resolver, timeoutMs = 3_000, ttlMs = 10_000 }: NameLookupOptions): NameLookup {
  const cache = new LRUCache<string, Promise<string[]>>({ max: maxEntries, ttlResolution: 0 })

  return (name) => {
    const answer = cache.get(name)
    if (answer) return answer
    const addresses = resolve(name, resolver, timeoutMs)
    // A lookup in progress does not age; another one may have replaced it by the time it ends.
    const keepFor = (ttl: number) => {
      if (cache.peek(name) !== addresses) return
      if (ttl > 0) cache.set(name, addresses, { ttl })
      else cache.delete(name)
    }
    cache.set(name, addresses)
    addresses.then(
      () => keepFor(ttlMs),
      () => keepFor(Math.min(ttlMs, failureTtlMs)),
    )
    return addresses
  }
}

// A c-ares channel costs 23 µs: one for each lookup can be cancelled alone and sees a changed resolv.conf.
async function resolve(name: string, customResolver: NameResolver | undefined, timeoutMs: number): Promise<string[]> {
  const own = customResolver ? undefined : new Resolver({ timeout: 1_000, tries: 2 })
  const resolver = customResolver ?? own!
  const results: [string[], string[]] = [[], []]
  const faults: string[] = []
  const lookups = [resolver.resolve4(name), resolver.resolve6(name)].map((answer, index) =>
    answer.then(
      (addresses) => {
        results[index] = addresses
      },
      (error: NodeJS.ErrnoException) => {
        faults.push(error.code ?? error.message)
      },
    ),
  )
  const timeout = Promise.withResolvers<void>()
  const timer = setTimeout(timeout.resolve, timeoutMs)
  await Promise.race([Promise.all(lookups), timeout.promise])
  clearTimeout(timer)
  own?.cancel()
  // If only one of the two queries succeeds in time, its addresses are enough.
  const addresses = results.flat()
  if (addresses.length > 0) return addresses
  const detail = faults.length > 0 ? faults.join(', ') : `no answer within ${timeoutMs} ms`
  throw failureResult('DNS', 'The host name does not resolve.', detail)
}

/** Resolves a host to addresses that may be called; throws BLOCKED_ADDRESS if any other is among them. */
export function checkedAddresses(lookUp: NameLookup, allowedNetworks: readonly Network[]): AddressesOf {
  return async (hostname) => {
    const own = ownAddresses(hostname)
    const all = own ?? (await lookUp(hostname))
    const addresses = all.filter((address) => isAllowed(address, allowedNetworks))
    // One of the two loopback addresses of localhost is enough; a resolver's result passes as a whole or not at all.
    const passes = own ? addresses.length > 0 : addresses.length === all.length
    if (!passes)
      throw failureResult('BLOCKED_ADDRESS', addressNotAllowed(notPublic), `${hostname} is ${all.join(', ')}`)
    return addresses
  }
}
