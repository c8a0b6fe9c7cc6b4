// The hosts of online stores: each store has one below SHOPS_HOST, if that is set, and may have its own domain.
import type { FastifyRequest } from 'fastify'
import { byDomain, bySlug, type NameStorefront } from './storefront.ts'
import { isDomain } from './store.ts'

export type StoreHosts = {
  /** True for a host at which stores are named in the path: the service's own, or one that no store can have. */
  isOwn(host: string): boolean
  /** The slug in a host below SHOPS_HOST; null for any other host. */
  slugOf(host: string): string | null
  /** Finds the store by its host. */
  whereIs: NameStorefront
  /** The address of a store, by its slug. */
  urlOf(slug: string): string
  /** The origin of a request to the host of a store. */
  originOf(request: FastifyRequest): string
  /** False for a host that serves only the site of a store. */
  isService(host: string): boolean
  /** The sites of stores: whether they are served over https alone, and the hosts that they answer to. */
  sites: { isSecure: boolean; host: RegExp }[]
}

/** `own` are the hosts of the service; `shopUrl` is the address of a store, with * for its slug. */
export function storeHosts(own: readonly string[], shopUrl: string): StoreHosts {
  const [, scheme = 'https:', below = null] = /^(https?:)\/\/\*\.([^/:]+)/.exec(shopUrl) ?? []
  const readHostSlug = (host: string) => {
    const name = host.toLowerCase()
    return below !== null && name.endsWith(`.${below}`) ? name.slice(0, -below.length - 1) : null
  }
  const shops = below === null ? [] : [`[^:]+\\.${literal(below)}`]
  const others = [...own.map(literal), '[\\d.]+', ...shops]
  const sites = [
    ...shops.map((host) => ({ isSecure: scheme === 'https:', host: new RegExp(`^${host}(:\\d+)?$`, 'i') })),
    { isSecure: true, host: new RegExp(`^(?!(${others.join('|')})(:\\d+)?$)[^:[]+\\.[^:]+`, 'i') },
  ]
  return {
    isService: (host) => !sites.some((site) => site.host.test(host)),
    isOwn: (host) => own.includes(host) || !isDomain(host) || /^[\d.]+$/.test(host),
    slugOf: readHostSlug,
    whereIs: (host) => {
      const slug = readHostSlug(host)
      return slug === null ? byDomain(host) : bySlug(slug)
    },
    urlOf: (slug) => shopUrl.replace('*', slug),
    originOf: ({ host, hostname }) => `${readHostSlug(hostname) === null ? 'https:' : scheme}//${host.toLowerCase()}`,
    sites,
  }
}

const literal = (host: string) => host.replaceAll(/[.[\]]/g, '\\$&')
