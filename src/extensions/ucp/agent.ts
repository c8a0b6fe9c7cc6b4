// The calling agent: its profile, named in every call, declares its releases and capabilities.
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../kit/values/clock.ts'
import { measuredBy } from '../../kit/values/clock.ts'
import type { ExchangeResult, GuardedFetch } from '../../platform/outbound/fetch.ts'
import { parseDictionaryField } from '../../platform/signatures/message.ts'
import { verificationKeys, type Jwk } from '../../platform/signatures/jwk.ts'
import { Problem } from './problems.ts'
import { intersection, isRelease, keysMember, releases, type Capability, type Release } from './releases.ts'

export type Agent = {
  /** The URL of its profile. */
  profile: string
  /** The host of the profile, which cannot be faked. */
  name: string
  release: Release
  /** The capabilities that both the agent and the store have. */
  active: ReadonlySet<Capability>
  /** The keys that verify its signatures. */
  keys: readonly Jwk[]
  /** The URL that receives its order webhooks. */
  webhookUrl: string | null
}

export type FindAgent = {
  /** `beforeFetch` counts an unknown profile, and may reject it. */
  (profile: string | null, beforeFetch?: () => Promise<void>): Promise<Agent>
  /** Reads a known profile again, since it may have a new key; at most once a minute for an origin. */
  refreshed(agent: Agent): Promise<Agent>
}

const maxProfiles = 500
/** Of all profiles together, as JSON. */
const maxKeptBytes = 2 * 1024 * 1024
const maxUrlLength = 2048
const maxBytes = 256 * 1024
const timeoutMs = 5000
/** The minimum lifetime, even if the profile declares a shorter one. */
const minSeconds = 60
const maxSeconds = 3600
/** The lifetime of a failure. */
const failedSeconds = 10

type KeptProfile = { agent: Agent } | { problem: Problem }

/** Fetches profiles once, and caches them. The cache is bounded, however many agents call. */
export function agentFinder(guardedFetch: GuardedFetch, clock: Clock & Parameters<typeof measuredBy>[0]): FindAgent {
  const cache = new LRUCache<string, KeptProfile>({
    max: maxProfiles,
    maxSize: maxKeptBytes,
    sizeCalculation: (profile, url) => url.length + JSON.stringify(profile).length,
    ...measuredBy(clock),
  })
  const running = new Map<string, Promise<KeptProfile>>()
  const refreshes = new LRUCache<string, true>({ max: maxProfiles, ttl: 1000 * minSeconds, ...measuredBy(clock) })

  const fetchProfile = async (url: string): Promise<KeptProfile> => {
    const answer = await guardedFetch.get(url, { lane: 'agents', timeoutMs, maxResponseBytes: maxBytes })
    const profile = toKeptProfile(url, answer)
    // Keeps the old profile if it cannot be read again.
    if ('agent' in profile) cache.set(url, profile, { ttl: 1000 * readMaxAgeSeconds(answer) })
    else if (!cache.has(url)) cache.set(url, profile, { ttl: 1000 * failedSeconds })
    return profile
  }
  const fetchOnce = (url: string): Promise<KeptProfile> => {
    const fetching = running.get(url) ?? fetchProfile(url).finally(() => running.delete(url))
    running.set(url, fetching)
    return fetching
  }

  const find: (...call: Parameters<FindAgent>) => Promise<Agent> = async (profile, beforeFetch) => {
    const url = requireAddress(profile)
    const cachedProfile = cache.get(url)
    if (cachedProfile) return requireAgent(cachedProfile)
    await beforeFetch?.()
    return requireAgent(await fetchOnce(url))
  }
  const refresh = async (agent: Agent): Promise<Agent> => {
    const { origin } = new URL(agent.profile)
    if (refreshes.has(origin)) return agent
    refreshes.set(origin, true)
    const profile = await fetchOnce(agent.profile)
    return 'agent' in profile ? profile.agent : agent
  }
  return Object.assign(find, { refreshed: refresh })
}

function requireAgent(profile: KeptProfile): Agent {
  if ('problem' in profile) throw profile.problem
  return profile.agent
}

function requireAddress(profile: string | null): string {
  if (profile === null)
    throw new Problem('invalid_profile_url', 'Name the URL of your profile, as UCP-Agent: profile="…"')
  const url = URL.parse(profile)
  if (!url || url.protocol !== 'https:')
    throw new Problem('invalid_profile_url', 'The profile URL must be an https URL')
  return url.href
}

function toKeptProfile(url: string, answer: ExchangeResult): KeptProfile {
  try {
    return { agent: { profile: url, name: new URL(url).host, ...readProfile(readProfileDocument(answer)) } }
  } catch (error) {
    if (error instanceof Problem) return { problem: error }
    throw error
  }
}

function readProfileDocument(answer: ExchangeResult): unknown {
  if (!answer.ok) {
    if (answer.error === 'BLOCKED_ADDRESS') {
      throw new Problem('invalid_profile_url', 'The profile URL does not lead to a public address')
    }
    throw new Problem('profile_unreachable', `The profile cannot be fetched: ${answer.message}`)
  }
  if (answer.status !== 200) {
    throw new Problem('profile_unreachable', `The profile cannot be fetched: its server answered ${answer.status}`)
  }
  if (answer.truncated) throw new Problem('profile_malformed', `The profile is larger than ${maxBytes} bytes`)
  try {
    return JSON.parse(answer.body)
  } catch {
    throw new Problem('profile_malformed', 'The profile is not JSON')
  }
}

function readProfile(document: unknown): Omit<Agent, 'profile' | 'name'> {
  const own = isObject(document) ? document : {}
  const { ucp } = own
  const version = isObject(ucp) ? ucp.version : undefined
  if (!isObject(ucp) || typeof version !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(version)) {
    throw new Problem('profile_malformed', 'The profile has no ucp.version')
  }
  if (!isRelease(version)) {
    const versions = [...releases].sort().join(' and ')
    throw new Problem(
      'version_unsupported',
      `Protocol version ${version} is not supported. This store supports ${versions}`,
    )
  }
  const capabilities = ucp.capabilities ?? {}
  if (!isObject(capabilities)) throw new Problem('profile_malformed', "The profile's ucp.capabilities is not an object")
  const offers = new Map(Object.entries(capabilities).map(([name, entries]) => [name, versionsIn(name, entries)]))
  return {
    release: version,
    active: intersection(offers, version),
    keys: verificationKeys(own[keysMember[version]]),
    webhookUrl: webhookIn(capabilities['dev.ucp.shopping.order'], version),
  }
}

function versionsIn(name: string, entries: unknown): string[] {
  const versions = Array.isArray(entries)
    ? entries.map((entry) => (isObject(entry) ? entry.version : undefined))
    : [null]
  if (!versions.every((version) => typeof version === 'string')) {
    throw new Problem('profile_malformed', `The profile's entries of ${name.slice(0, 100)} have no version`)
  }
  return versions
}

/** Reads it from the order capability in the agent's release. */
function webhookIn(entries: unknown, release: Release): string | null {
  const own = Array.isArray(entries) ? entries.find((entry) => entry.version === release) : undefined
  const url = isObject(own?.config) ? own.config.webhook_url : undefined
  return typeof url === 'string' && url.length <= maxUrlLength && URL.parse(url)?.protocol === 'https:' ? url : null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readMaxAgeSeconds(answer: ExchangeResult): number {
  const header = answer.ok ? answer.headers['cache-control'] : undefined
  const seconds = Number(/max-age=(\d+)/.exec(header ?? '')?.[1] ?? minSeconds)
  return Math.min(Math.max(seconds, minSeconds), maxSeconds)
}

/** The profile of a UCP-Agent header: a dictionary (RFC 8941) with the string `profile`. */
export function profileIn(header: string | string[] | undefined): string | null {
  const profile = parseDictionaryField(header)?.get('profile')?.[0]
  return typeof profile === 'string' ? profile : null
}
