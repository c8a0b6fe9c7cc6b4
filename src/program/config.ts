// Declares every environment variable once: name, parser, default, and a sentence for the operator.
import { isIPv6 } from 'node:net'
import { totalmem } from 'node:os'
import { ConfigurationError } from '../kit/values/configuration.ts'
import { parseNetworks, type Network } from '../platform/outbound/addresses.ts'

type Variable<T> = { read: (text: string) => T; fallback: T; form: string; about: string }

function variable<T>(read: (text: string) => T, fallback: T, form: string, about: string): Variable<T> {
  return { read, fallback, form, about }
}

const whole = (min: number, max: number) => (text: string) => {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < min || number > max) throw new Error('out of range')
  return number
}
const readChoice =
  <const T extends string>(...values: T[]) =>
  (text: string) => {
    const value = values.find((one) => one === text)
    if (value === undefined) throw new Error('unknown value')
    return value
  }
const address =
  (...protocols: string[]) =>
  (text: string) => {
    if (!protocols.includes(new URL(text).protocol)) throw new Error('wrong protocol')
    return text.replace(/(?<!\/)\/+$/, '')
  }
/** Normalizes the URL so that it can be compared: lower-case scheme and host, no trailing slash. */
const site = (text: string) => {
  const { protocol, origin, pathname, username, password, search, hash } = new URL(text)
  const isPlain = ['http:', 'https:'].includes(protocol) && username + password + search + hash === ''
  if (!isPlain || !/^(\/[\w.~-]+)*\/*$/.test(pathname)) throw new Error('not the address of a site')
  return (origin + pathname).replace(/(?<!\/)\/+$/, '')
}
/** Pages, links and the API are at its root. */
const origin = (text: string) => {
  const url = site(text)
  if (new URL(url).pathname !== '/') throw new Error('has a path')
  return url
}
const databaseAddress = address('postgres:', 'postgresql:')
const splitList = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
const proxies = (text: string) => {
  const parts = splitList(text)
  // The HTTP server knows these names of networks.
  parts.filter((part) => !['loopback', 'linklocal', 'uniquelocal'].includes(part)).forEach(parseNetworks)
  return parts
}
/** Accepts IPv6 without brackets. */
const host = (text: string) => {
  const isHost = text.includes(':') ? isIPv6(text) : new URL(`http://${text}`).hostname === text.toLowerCase()
  if (!isHost) throw new Error('no address and no name')
  return text
}
/** A name in DNS; localhost is for a laptop. */
const hostName = (text: string) => {
  const name = text.toLowerCase()
  if (new URL(`http://${name}`).hostname !== name || !/^[a-z0-9.-]*[a-z]$/.test(name)) throw new Error('no name')
  return name
}
const ratio = (text: string) => {
  if (!/^(0|1|0?\.\d{1,6})$/.test(text)) throw new Error('not a share')
  return Number(text)
}
const partOfMemory = (text: string) => whole(0, Math.floor(memoryMb() / 2))(text)
const nullable = <T>(read: (text: string) => T) => read as (text: string) => T | null
const seconds = (min: number, max: number) => whole(min, max)

// prettier-ignore
const variables = {
  PORT:                     variable(whole(0, 65535), 4000, 'a port from 0 to 65535',
                                     'Port to listen on.'),
  HOST:                     variable(host, '127.0.0.1', 'an address or a name',
                                     'Address to listen on.'),
  BASE_URL:                 variable(nullable(origin), null, 'an http or https URL without a path',
                                     'URL at which clients reach this service. Defaults to HOST and PORT.'),
  AUTH_URL:                 variable(nullable(site), null, 'an http or https URL',
                                     'OAuth issuer; can have a path. Defaults to BASE_URL.'),
  SHOPS_HOST:               variable(nullable(hostName), null, 'a host name without scheme and port',
                                     'Host below which each online store has its own: {slug}.SHOPS_HOST.'),
  DATABASE_URL:             variable(nullable(databaseAddress), null, 'a postgresql URL',
                                     'External PostgreSQL. Defaults to the embedded one in DATA_DIR.'),
  DATABASE_REPLICA_URL:     variable((text) => splitList(text).map(databaseAddress), [] as string[],
                                     'postgresql URLs, separated by commas',
                                     'Streaming replicas of DATABASE_URL for exports and reports.'),
  DATA_DIR:                 variable(String, './data', 'a directory',
                                     'Directory of the embedded database, images and the generated secret key.'),
  REDIS_URL:                variable(nullable(address('redis:', 'rediss:')), null, 'a redis URL',
                                     'Valkey or Redis for rate limits across nodes. Defaults to memory.'),
  WORKERS:                  variable(whole(1, 64), 1, 'a number from 1 to 64',
                                     'Number of server processes.'),
  DEMO:                     variable(readChoice('on', 'off'), 'on', 'on or off',
                                     'Create a demo store on first start.'),
  SHOP_LIST:                variable(readChoice('on', 'off'), 'on', 'on or off',
                                     'List open stores on the page at /.'),
  NEW_STORE_PLAN:           variable(String, 'unlimited', 'the id of a plan, or none',
                                     'Plan of stores created in the dashboard; none: only operators create stores.'),
  LOG_LEVEL:                variable(readChoice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), 'info',
                                     'trace, debug, info, warn, error, fatal or silent',
                                     'Minimum log level.'),
  METRICS_TOKEN:            variable(nullable(token), null, 'at least 16 characters without spaces',
                                     'Bearer token for /metrics. By default, only private addresses have access.'),
  WEBHOOK_ALLOWED_NETWORKS: variable(parseNetworks, [] as Network[], 'networks in CIDR form, separated by commas',
                                     'Private networks that webhooks can reach.'),
  TRUSTED_PROXIES:          variable(proxies, [] as string[], 'addresses or networks, separated by commas',
                                     'Trusted proxies (X-Forwarded-For).'),
  MEDIA_S3_URL:             variable(nullable(site), null, 'an http or https URL',
                                     'S3-compatible bucket for images. Defaults to DATA_DIR/media.'),
  MEDIA_S3_REGION:          variable(String, 'us-east-1', 'a region',
                                     'Region of the bucket.'),
  MEDIA_S3_KEY:             variable(nullable(String), null, 'an access key ID',
                                     'Access key ID for the bucket.'),
  MEDIA_S3_SECRET:          variable(nullable(String), null, 'a secret access key',
                                     'Secret access key for the bucket.'),
  MEDIA_MB_PER_STORE:       variable(whole(1, 100_000_000), 5000, 'megabytes from 1 to 100000000',
                                     'Maximum size of all images of a store, in megabytes.'),
  SMTP_URL:                 variable(nullable(address('smtp:', 'smtps:')), null, 'an smtp or smtps URL',
                                     'Mail server. By default, emails are kept in the outbox.'),
  STRIPE_API_URL:           variable(nullable(origin), null, 'an http or https URL without a path',
                                     'Stripe API URL, for tests.'),
  SANDBOX_URL:              variable(nullable(origin), null, 'an http or https URL without a path',
                                     'URL of the sandbox payment provider.'),
  SANDBOX_PORT:             variable(whole(0, 65535), 0, 'a port from 0 to 65535',
                                     'Port on which to serve the sandbox; 0: off.'),
  MAILS_PER_MINUTE:         variable(whole(1, 100_000), 600, 'a number from 1 to 100000',
                                     'Maximum number of emails sent per minute.'),
  CHECKOUT_ABANDON_AFTER_S: variable(seconds(1, 86_400), 1800, 'seconds from 1 to 86400',
                                     'Inactivity after which a checkout is abandoned, in seconds.'),
  CHECKOUT_SWEEP_EVERY_S:   variable(seconds(1, 3600), 60, 'seconds from 1 to 3600',
                                     'Interval of the check for idle checkouts, in seconds.'),
  CHECKOUT_EXPIRE_AFTER_S:  variable(seconds(1, 31_536_000), 2_592_000, 'seconds from 1 to 31536000',
                                     'Inactivity after which a checkout expires, in seconds.'),
  OAUTH_CLIENT_TTL_S:       variable(seconds(1, 315_360_000), 7_776_000, 'seconds from 1 to 315360000',
                                     'Lifetime of a dynamically registered OAuth client, in seconds.'),
  OAUTH_CLIENT_DOCUMENTS:   variable(readChoice('on', 'off'), 'on', 'on or off',
                                     'Accept client ID metadata documents.'),
  CACHE_MAX_MB:             variable(nullable(partOfMemory), null, 'megabytes from 0 to half of the memory',
                                     'Megabytes for kept answers; 0: off. Defaults to 1/64 of memory, at most 256.'),
  REQUEST_LOG:              variable(readChoice('on', 'off'), 'on', 'on or off',
                                     'Keep each store\'s API request log for 7 days.'),
  ROW_SECURITY:             variable(readChoice('on', 'off'), 'off', 'on or off',
                                     'Also isolate stores by PostgreSQL row-level security.'),
  DISTRIBUTED:              variable(readChoice('on', 'off'), 'off', 'on or off',
                                     'Set if the database is distributed by Citus.'),
  AUDIT_KEEP_DAYS:          variable(whole(1, 36_500), 730, 'days from 1 to 36500',
                                     'Days that audit log entries are kept.'),
  BACKUP_DIR:               variable(nullable(String), null, 'a folder',
                                     'Folder for scheduled backups. By default, none are made.'),
  BACKUP_EVERY_H:           variable(whole(1, 168), 24, 'hours from 1 to 168',
                                     'Hours between scheduled backups, counted from midnight UTC.'),
  BACKUP_KEEP:              variable(whole(1, 10_000), 7, 'a number from 1 to 10000',
                                     'Number of scheduled backups that are kept.'),
  EXTENSIONS:               variable(splitList, [] as string[], 'folders or npm packages, separated by commas',
                                     'Extensions: folders, or packages beside the server; -name leaves one out.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(nullable(site), null, 'an http or https URL',
                                     'Send OpenTelemetry traces to this OTLP receiver.'),
  OTEL_TRACES_SAMPLER_ARG:  variable(ratio, 1, 'a number from 0 to 1',
                                     'Share of requests, jobs and deliveries that are traced.'),
  SECRET_KEY:               variable(nullable(secret), null, 'at least 32 characters',
                                     'Key that seals stored secrets. Defaults to a 0600 file in DATA_DIR.'),
}

type Variables = typeof variables
export type Config = { [K in keyof Variables]: Variables[K] extends Variable<infer T> ? T : never }

const mayHoldSecrets = new Set([
  'SECRET_KEY',
  'METRICS_TOKEN',
  'DATABASE_URL',
  'DATABASE_REPLICA_URL',
  'REDIS_URL',
  'SMTP_URL',
  'MEDIA_S3_SECRET',
])

/** Reads all variables and reports all invalid ones together. An empty value counts as unset. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const wrong: string[] = []
  const config = Object.entries(variables).map(([name, { read, fallback, form }]) => {
    const text = environment[name]?.trim()
    if (!text) return [name, fallback]
    try {
      return [name, read(text)]
    } catch {
      const value = mayHoldSecrets.has(name) ? '(hidden)' : JSON.stringify(text)
      wrong.push(`  ${name} is ${value}, but must be ${form}`)
      return [name, fallback]
    }
  })
  // Without these, images would silently go into the folder.
  for (const name of environment.MEDIA_S3_URL?.trim() ? (['MEDIA_S3_KEY', 'MEDIA_S3_SECRET'] as const) : []) {
    if (!environment[name]?.trim())
      wrong.push(`  ${name} is unset, but must be ${variables[name].form} of MEDIA_S3_URL`)
  }
  const shopsHost = environment.SHOPS_HOST?.trim().toLowerCase()
  for (const url of shopsHost ? [environment.BASE_URL, environment.AUTH_URL] : []) {
    if (url && URL.canParse(url) && new URL(url).hostname.endsWith(`.${shopsHost}`))
      wrong.push(`  SHOPS_HOST is ${JSON.stringify(shopsHost)}, but ${url} would then be an online store`)
  }
  if (environment.DATABASE_REPLICA_URL?.trim()) {
    if (!environment.DATABASE_URL?.trim()) wrong.push('  DATABASE_REPLICA_URL is set, but DATABASE_URL is unset')
    // The coordinator's log does not include the other servers.
    if (environment.DISTRIBUTED?.trim() === 'on') wrong.push('  DATABASE_REPLICA_URL is set, but DISTRIBUTED is on')
  }
  if (wrong.length > 0) throw new ConfigurationError(`The configuration is invalid:\n${wrong.join('\n')}`)
  return Object.fromEntries(config) as Config
}

/** The URL at which clients reach this service. */
export function buildBaseUrl({ BASE_URL, HOST, PORT }: Pick<Config, 'BASE_URL' | 'HOST' | 'PORT'>): string {
  if (BASE_URL) return BASE_URL
  // Clients can't connect to a wildcard address, and people type localhost.
  const isLocal = everyName.includes(HOST)
  return `http://${isLocal ? 'localhost' : HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`
}

const everyName = ['0.0.0.0', '::', '127.0.0.1', 'localhost']

/** Local addresses, if no URL is configured: all are one service, and each answers with its own address. */
export function listLocalUrls({ BASE_URL, AUTH_URL, HOST, PORT }: Config): string[] {
  if (BASE_URL || AUTH_URL || !everyName.includes(HOST)) return []
  return [`http://127.0.0.1:${PORT}`, `http://[::1]:${PORT}`]
}

/** The address of an online store, with * for its slug. */
export function buildShopUrl(config: Pick<Config, 'BASE_URL' | 'HOST' | 'PORT' | 'SHOPS_HOST'>): string {
  const baseUrl = buildBaseUrl(config)
  if (!config.SHOPS_HOST) return `${baseUrl}/s/*`
  const { protocol, port } = new URL(baseUrl)
  return `${protocol}//*.${config.SHOPS_HOST}${port && `:${port}`}`
}

/** The URL of the sandbox payment provider, if there is one. */
export function buildSandboxUrl({ SANDBOX_URL, SANDBOX_PORT, HOST }: Config): string | null {
  if (SANDBOX_URL || SANDBOX_PORT === 0) return SANDBOX_URL
  return buildBaseUrl({ BASE_URL: null, HOST, PORT: SANDBOX_PORT })
}

export function computeCacheBytes({ CACHE_MAX_MB, WORKERS }: Pick<Config, 'CACHE_MAX_MB' | 'WORKERS'>): number {
  return Math.floor(((CACHE_MAX_MB ?? Math.min(256, memoryMb() / 64)) * 1e6) / WORKERS)
}

/** Memory of the machine, or the limit of this process. */
function memoryMb(): number {
  const limit = process.constrainedMemory()
  return Math.min(limit || Infinity, totalmem()) / 1e6
}

export function describeConfig(): { name: string; form: string; fallback: string; about: string }[] {
  return Object.entries(variables).map(([name, { form, fallback, about }]) => ({
    name,
    form,
    fallback: fallback === null ? '' : String(fallback),
    about,
  }))
}

function secret(text: string): string {
  if (text.length < 32) throw new Error('too short')
  return text
}

function token(text: string): string {
  if (!/^[\x21-\x7e]{16,}$/.test(text)) throw new Error('too short, or no token')
  return text
}
