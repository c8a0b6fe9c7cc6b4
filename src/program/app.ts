// Assembles all parts over a database: main.ts serves it, and tests call it.
import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { systemClock, type Clock } from '../kit/values/clock.ts'
import { waitAtMost } from '../kit/values/patience.ts'
import { openDatabase } from '../kit/database/open.ts'
import type { Database } from '../kit/database/database.ts'
import type { Addresses } from '../kit/database/sql.ts'
import { vault, type Vault } from '../kit/values/secrets.ts'
import { buildBaseUrl, computeCacheBytes, listLocalUrls, buildSandboxUrl, buildShopUrl, type Config } from './config.ts'
import { guardedFetch, type FetchOptions } from '../platform/outbound/fetch.ts'
import { followingTables, journal } from '../developer/tables.ts'
import { openJobs, type Jobs } from '../platform/process/jobs.ts'
import { openLog, type Log } from '../platform/process/log.ts'
import { openMail } from '../platform/outbound/mail.ts'
import { callPrimary } from '../platform/process/primary.ts'
import { buildReplicaOptions, logServers } from '../platform/process/replicas.ts'
import { readBuild } from '../platform/process/version.ts'
import { openRequestLog, type RequestLog } from '../developer/requests/log.ts'
import { textLookup } from '../platform/outbound/records.ts'
import type { MailSender } from '../tenancy/emails/sender.ts'
import { openResponseCache, type ResponseCache } from '../tenancy/answers/answers.ts'
import { storeHosts } from '../tenancy/stores/hosts.ts'
import { openSequencer } from '../tenancy/events/sequencer.ts'
import { openWaits } from '../developer/eventlog/waits.ts'
import { exportOwnData } from '../developer/privacy/owndata.ts'
import { eraseCustomer } from '../developer/privacy/personaldata.ts'
import { openValkey, type Valkey } from '../platform/process/valkey.ts'
import { openNewerBuild } from '../platform/postgres/newerbuild.ts'
import { openSharedClock } from '../platform/postgres/sharedclock.ts'
import { readServerNeeds } from '../platform/postgres/suitability.ts'
import { primaryRateLimiter } from '../platform/ratelimit/primary.ts'
import { memoryRateLimiter, type RateLimiter } from '../platform/ratelimit/ratelimit.ts'
import { valkeyRateLimiter } from '../platform/ratelimit/valkey.ts'
import { authenticator } from '../http/authenticate.ts'
import { serveHealth } from '../http/health.ts'
import { mount } from '../http/mount.ts'
import { buildPerform } from '../http/operations.ts'
import { serveOauth } from '../http/oauth.ts'
import { serveMedia } from '../http/media.ts'
import { openRouteLimits } from '../http/routelimits.ts'
import { serveStylesheets } from '../http/stylesheets.ts'
import { serveReference } from '../http/reference.ts'
import { homeSite } from '../http/home.ts'
import { servePortal } from '../http/portal.ts'
import { mountSites } from '../platform/pages/mount.ts'
import { entryPages } from '../dashboard/framework/entry.ts'
import { dashboardAssets, dashboardSite } from '../dashboard/mount.ts'
import { newStorePages } from '../dashboard/screens/stores/newstore.ts'
import { openShopAdditions } from '../storefront/shop/extensions.ts'
import { shopAssets, shopPages, shopSites } from '../storefront/shop/mount.ts'
import { signInSite } from '../identity/signin/mount.ts'
import { assets as signInAssets } from '../identity/signin/passkeyform.ts'
import { signInPages } from '../identity/signin/routes.ts'
import { servePayments } from '../http/payments.ts'
import { turnAwayUnderOverload, type ConcurrencyLimits } from '../http/overload.ts'
import { openServer } from '../http/server.ts'
import type { SlowClientLimits } from '../http/slowclients.ts'
import { serveStorefront } from '../http/storefront.ts'
import { openMedia } from '../commerce/media/open.ts'
import { openOauth } from '../identity/oauth/open.ts'
import { startProviderRequests } from '../money/processing/providerrequests.ts'
import { settlerWith } from '../storefront/checkout/settlement/pendingpayments.ts'
import { buildInnerOptions, type InnerApp } from './innerapp.ts'
import { buildJobs } from './jobs.ts'
import type { InnerOpening, Opened } from '../tenancy/extensions/extension.ts'
import { extensions } from '../tenancy/extensions/loaded.ts'
import type { Passed } from '../extensions/list.ts'
import { listExtensionLetters } from '../storefront/letters/extension.ts'
import { openMailSender } from '../storefront/letters/sender.ts'
import { addedTables, v1, type Deps } from '../developer/routes.ts'
import { tables } from './tables.ts'
import { sentRequests } from '../developer/webhooks/openapi.ts'
import { startWorker, type Worker } from '../developer/webhooks/delivery/worker.ts'

export type App = {
  server: FastifyInstance
  db: Database
  vault: Vault
  jobs: Jobs
  /** Sends all email. */
  sender: MailSender
  /** The request log of the API, which stores can read; null if it is off. */
  requestLog: RequestLog | null
  /** Starts the work beside requests, and listens; returns the address. */
  listen(): Promise<string>
  /** Starts without listening: another process passes it connections. */
  start(): Promise<void>
  /** Answers all requests that wait for an event: from now on, requests do not wait. */
  endWaits(): void
  close(): Promise<void>
}

type Opening = {
  config: Config
  databaseUrl: string
  secretKey: string
  /** Defaults to the time of the database server. */
  clock?: Clock
  /** The options for calls to strangers' URLs, e.g. a test's resolver. */
  network?: Partial<FetchOptions>
  /** True if this process delivers webhooks. */
  delivers?: boolean
  /** True if jobs run by schedule; tests run them by name. */
  runsJobs?: boolean
  /** Limits for slow clients and for concurrent requests, if not the defaults. */
  slowClients?: Partial<SlowClientLimits> | undefined
  concurrency?: Partial<ConcurrencyLimits> | undefined
  log?: Log | undefined
  /** False leaves to jobs what extensions can begin at once. */
  isEager?: boolean
  /** Set if the app is below an address of another. */
  inner?: InnerApp
}

export async function openApp(opening: Opening): Promise<App> {
  const { config, databaseUrl, delivers = true, runsJobs = true } = opening
  const parts = await openParts(opening)
  const { server, log, db, mail, valkey, deps, requestLog, sequencer, sharedClock } = parts
  await serve(parts)
  const { secretKey, inner } = opening
  const jobParts = { ...parts, databaseUrl, secretKey, isInner: inner !== undefined }
  const jobs = openJobs({ db, log, jobs: await buildJobs(jobParts) })
  const endWaits = () => deps.feed.waits.close()
  const letters = listExtensionLetters(extensions)
  const sender = openMailSender({ ...parts, letters, perMinute: parts.config.MAILS_PER_MINUTE })
  const asking = startProviderRequests({ db, deps, log, settle: settlerWith(deps) })
  let worker: Worker | undefined
  const start = async () => {
    await sharedClock?.follow(db)
    const signingClock = inner ? systemClock : db.clock
    const delivery = { ...deps, databaseUrl, bus: db.bus, clock: db.clock, signingClock, log }
    if (delivers) worker = await startWorker({ ...delivery, ...readServerNeeds(config) })
    // The extension that opened an inner app runs its jobs.
    if (runsJobs && !inner) await parts.newerBuild.follow()
    if (runsJobs) [inner ? null : jobs, sender, sequencer, requestLog].forEach((part) => part?.start())
    await server.ready()
  }
  return {
    server,
    db,
    vault: deps.vault,
    jobs,
    sender,
    requestLog,
    start,
    async listen() {
      await start()
      return server.listen({ port: config.PORT, host: config.HOST })
    },
    endWaits,
    async close() {
      endWaits()
      await server.close()
      await Promise.all(Object.values(parts.opened).map(({ close }) => close?.()))
      await asking.stop()
      await worker?.stop()
      await sequencer.stop()
      await jobs.stop()
      await sender.stop()
      await requestLog?.close()
      parts.answers?.close()
      await deps.media.sizing.close()
      // Shutdown does not wait for a hanging receiver.
      await waitAtMost(1000, deps.guardedFetch.close())
      mail.close()
      await valkey?.close()
      sharedClock?.close()
      parts.newerBuild.close()
      await db.close()
    },
  }
}

type AppParts = Awaited<ReturnType<typeof openParts>>

/** The dependencies of the routes. */
async function openParts(opening: Opening) {
  const { config, databaseUrl, secretKey, network, slowClients, log = openLog(config.LOG_LEVEL) } = opening
  const sharedClock = opening.clock ? null : openSharedClock(log)
  const clock = opening.clock ?? sharedClock!
  const baseUrl = buildBaseUrl(config)
  const replicas = buildReplicaOptions(config, log)
  const { inner, concurrency, isEager = opening.runsJobs ?? true } = opening
  const size = inner ? { connections: 4 } : {}
  const addresses = { baseUrl, shopUrl: buildShopUrl(config) }
  const needs = { ...size, ...readServerNeeds(config), onServers: logServers(log) }
  const db = openDatabase({ url: databaseUrl, clock, ...addresses, journal, replicas, ...needs })
  const valkey = config.REDIS_URL ? await openValkey(config.REDIS_URL, log) : null
  const limiter = openLimiter(valkey, clock)
  const media = openMedia(db, config, log, inner?.storage)
  const installation = { databaseUrl, secretKey }
  const openInner = (own: InnerOpening) => openApp({ ...buildInnerOptions(config, own), network, concurrency, log })
  const opened = await openExtensions({ config, db, log, limiter, installation, isEager, openInner }, inner)
  const sequencer = openSequencer(db, log)
  const feed = { catchUp: sequencer.catchUp, waits: openWaits(db) }
  const own = { ...openTools(config, { baseUrl, secretKey, network, clock }), media, limiter, feed }
  const deps: typeof own = { ...own, ...opened }
  const isSecure = baseUrl.startsWith('https:')
  const server = openServer({ log, clock, limiter, trustedProxies: config.TRUSTED_PROXIES, isSecure, slowClients })
  turnAwayUnderOverload(server, { db, limiter, log, limits: concurrency })
  const authUrl = config.AUTH_URL ?? baseUrl
  const mailing = { smtpUrl: config.SMTP_URL, from: `no-reply@${new URL(authUrl).hostname}` }
  const mail = await openMail({ ...mailing, db, vault: deps.vault })
  const oauth = openOauth({
    db,
    log,
    authUrl,
    baseUrl,
    localUrls: listLocalUrls(config),
    secretKey,
    clientTtlSeconds: config.OAUTH_CLIENT_TTL_S,
    ...(config.OAUTH_CLIENT_DOCUMENTS === 'on' ? { guardedFetch: deps.guardedFetch } : {}),
  })
  const answers = openCache(db, config, { ...addresses, build: await readBuild() })
  const requestLog = config.REQUEST_LOG === 'on' ? openRequestLog({ db, log }) : null
  return {
    config,
    log,
    sharedClock,
    addresses,
    authUrl,
    db,
    valkey,
    limiter,
    deps,
    server,
    mail,
    oauth,
    sequencer,
    requestLog,
    answers,
    newerBuild: openNewerBuild(db, log),
    opened,
    inner,
  }
}

function openLimiter(valkey: Valkey | null, clock: Clock): RateLimiter {
  if (valkey) return valkeyRateLimiter(valkey, clock)
  return callPrimary ? primaryRateLimiter(callPrimary) : memoryRateLimiter(clock)
}

/** By name. */
async function openExtensions(parts: Passed['open'], inner?: InnerApp): Promise<Record<string, Opened>> {
  const opened: Record<string, Opened> = { ...inner?.opened }
  for (const { name, open } of extensions) if (open) opened[name] ??= await open(parts)
  return opened
}

type Edition = Addresses & { build: string }

function openCache(db: Database, config: Config, { baseUrl, shopUrl, build }: Edition): ResponseCache | null {
  const maxBytes = computeCacheBytes(config)
  const edition = hash('sha256', `${build} ${baseUrl} ${shopUrl}`, 'base64url').slice(0, 6)
  return maxBytes > 0 ? openResponseCache(db, { maxBytes, edition }) : null
}

function openTools(
  config: Config,
  { baseUrl, secretKey, network, clock }: Pick<Opening, 'secretKey' | 'network'> & { baseUrl: string; clock: Clock },
): Omit<Deps, 'media' | 'feed' | 'limiter' | 'perform'> {
  return {
    vault: vault(secretKey),
    guardedFetch: guardedFetch({ allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS, ...network }),
    textLookup: textLookup(network?.resolver),
    eraseCustomer,
    followingTables,
    payments: {
      apiUrls: { stripe: config.STRIPE_API_URL, sandbox: buildSandboxUrl(config) },
      timeoutMs: 5000, // a shopper waits for it
      now: () => clock.now(),
    },
    checkout: {
      baseUrl,
      abandonAfterSeconds: config.CHECKOUT_ABANDON_AFTER_S,
      expireAfterSeconds: config.CHECKOUT_EXPIRE_AFTER_S,
    },
  }
}

async function serve(parts: AppParts): Promise<void> {
  const { config, log, addresses, authUrl, db, limiter, deps, server, oauth, requestLog, answers, inner } = parts
  const { newerBuild } = parts
  const { baseUrl, shopUrl } = addresses
  const limits = openRouteLimits(limiter, db.clock)
  const { vault, media } = deps
  serveHealth(server, db, { vault, metricsToken: config.METRICS_TOKEN, storage: media.storage, limits, newerBuild })
  const document = { tables, serverUrl: config.BASE_URL ?? '/', authUrl, webhooks: sentRequests() }
  const ownHosts = [baseUrl, authUrl].map((url) => new URL(url).hostname)
  const hosts = storeHosts(ownHosts, shopUrl)
  const site = { siteUrl: authUrl, baseUrl, isAt: hosts.isService }
  const people = { db, limiter, vault, ...site }
  if (!inner) {
    serveReference(server, limits, document)
    serveStylesheets(server)
    serveOauth(server, oauth.endpoints, { limiter, clock: db.clock, log })
  }
  const authenticate = authenticator(db, oauth.checkBearer)
  const own: Deps = { ...deps, perform: buildPerform(v1, () => own) }
  const access = { db, deps: own, limiter, requestLog, answers, authenticate }
  for (const table of [v1, ...addedTables])
    mount(server, { ...table, ...access, resourceMetadata: (host) => oauth.api(host).metadata })
  if (!inner) servePortal(server, { db, limiter, deps: people })
  serveStorefront(server, { db, deps, limiter, requestLog, answers })
  servePayments(server, { db, deps, limiter })
  const plan = config.NEW_STORE_PLAN === 'none' ? null : config.NEW_STORE_PLAN
  serveMedia(server, { db, deps, hosts })
  const { slots, pages: addedPages } = await openShopAdditions(extensions, { core: shopPages, log })
  const openFile = (key: string) => media.storage.open(key)
  const shopDeps = { ...deps, exportOwnData, slots, openFile }
  const shops = shopSites({ db, deps: shopDeps, addedPages, limiter, baseUrl, hosts, answers })
  if (inner) return inner.serve(server, { baseUrl, shops, log })
  const listsShops = config.SHOP_LIST === 'on'
  const beside: Passed['serve'] = {
    ...access,
    table: v1,
    mcpResource: oauth.mcp,
    ownHosts,
    log,
    baseUrl,
    hosts,
    listsShops,
  }
  for (const { name, serve } of extensions) await serve?.(server, beside, parts.opened[name])
  mountSites(
    server,
    [
      signInSite([...signInPages, ...oauth.pages, ...entryPages(plan !== null), ...newStorePages(plan)], people),
      dashboardSite({ db, deps: { ...own, siteUrl: authUrl }, ...site, opensStores: plan !== null }),
      homeSite({ db, baseUrl, authUrl, listsShops: config.SHOP_LIST === 'on' }),
      ...shops,
    ],
    [shopAssets, dashboardAssets, signInAssets],
    log,
  )
}
