// Reads the configuration, provides the database and serves until a signal ends the process.
import './environment.ts'
import cluster from 'node:cluster'
import closeWithGrace from 'close-with-grace'
import { buildBaseUrl, readConfig, buildSandboxUrl, buildShopUrl, type Config } from './config.ts'
import { configurationExitCode, ConfigurationError } from '../kit/values/configuration.ts'
import { collectAfterStart } from '../platform/process/heap.ts'
import { openLog } from '../platform/process/log.ts'
import { bringUpToDate, faultOfLimits, provideDatabase } from '../platform/postgres/provide.ts'
import { readServerNeeds } from '../platform/postgres/suitability.ts'
import { secretKeyFor } from '../platform/postgres/canary.ts'
import { keyFile } from '../platform/process/secretkey.ts'
import { commandLine } from './cli/commandline.ts'
import { findFirstStore } from '../demo/firststore.ts'
import { renderPictures } from '../demo/renderer.ts'
import { registerAtSandbox, isDemo } from '../demo/sandbox.ts'
import { extensions } from '../tenancy/extensions/loaded.ts'
import type { Passed } from '../extensions/list.ts'
import { checkExtensions, logExtensions, requireRightExtensions } from './extensions.ts'
import { facts, greeting } from './greeting.ts'
import { createStorage } from '../commerce/media/storageconfig.ts'
import { serveAsWorker, serveHere, type Serving } from './serving.ts'
import { serveInWorkers, type Report } from './workers.ts'

const config = configure()
const log = openLog(config.LOG_LEVEL)
/** Cleanup functions, run in reverse order. */
const closers: (() => Promise<void>)[] = []
let closingSince = 0
let renewWorkers: (() => Promise<void>) | null = null
// npm repeats a Ctrl-C that the terminal has already sent to every process.
const repeatMs = 300

await trace()
const starting = cluster.isPrimary ? start() : startWorker()
closeOnSignals()
try {
  await starting
  collectAfterStart()
} catch (error) {
  await fail(error as Error)
}

function configure(): Config {
  try {
    requireRightExtensions()
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(configurationExitCode)
  }
}

/** Closed last, so that it sends what the others have done. */
async function trace(): Promise<void> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: ratio } = config
  if (!endpoint) return
  const { startTelemetry } = await import('../platform/process/telemetry.ts')
  const telemetry = startTelemetry({ endpoint, ratio })
  closers.push(async () => void (await telemetry.close()))
}

async function start(): Promise<void> {
  const database = await provideDatabase({
    dataDir: config.DATA_DIR,
    databaseUrl: config.DATABASE_URL,
    serves: true,
    onExit: (code, reason) => log.error({ code, reason }, 'PostgreSQL exited; restarting it'),
  })
  closers.push(() => database.release())
  if (database.source === 'adopted') log.info('took over PostgreSQL left running by a killed process')
  const fault = faultOfLimits(database.servers + 1, config.REDIS_URL)
  if (fault) log.warn(fault)
  const networks = config.WEBHOOK_ALLOWED_NETWORKS.map(({ base, bits }) => `${base.toString()}/${bits}`)
  if (networks.length > 0) {
    log.warn({ networks }, 'webhooks can reach private networks because WEBHOOK_ALLOWED_NETWORKS is set')
  }

  const migrations = await bringUpToDate(database, readServerNeeds(config))
  await logExtensions(database.url, log)
  const secretKey = await secretKeyFor(database.url, config, { isNew: process.argv.includes('--new-key') })
  if (!config.SECRET_KEY && database.source === 'outside') {
    log.warn({ file: keyFile(config.DATA_DIR) }, 'SECRET_KEY is not set; every other node needs the key in this file')
  }
  const { postgres, store, problem } = await findFirstStore(database.url, {
    secretKey,
    demo: config.DEMO === 'on' && database.source !== 'outside',
    showsKey: process.stdout.isTTY,
    baseUrl: buildBaseUrl(config),
    sandboxUrl: buildSandboxUrl(config),
    isDistributed: readServerNeeds(config).isDistributed,
  })
  if (problem) log.warn({ err: problem, store: store?.id }, 'the demo store could not be prepared; see: stoa doctor')
  if (store && isDemo(store)) renderInBackground(database.url)
  const serving = await serve(database.url, secretKey)
  const { address } = serving
  const sandboxUrl = buildSandboxUrl(config)
  const parts: Passed['start'] = { config, sandboxUrl, log }
  for (const { start } of extensions) {
    const close = await start?.(parts)
    if (close) closers.push(close)
  }
  if (sandboxUrl && store)
    await registerAtSandbox(store, { sandboxUrl, baseUrl: config.BASE_URL ?? address, secretKey })
  const authUrl = config.AUTH_URL ?? config.BASE_URL ?? address
  const command = commandLine(config, authUrl, process.stdout.isTTY)
  const startup = {
    address,
    shopUrl: buildShopUrl({ ...config, BASE_URL: address }),
    authUrl,
    postgres,
    seconds: performance.now() / 1000,
    workers: config.WORKERS,
    migrations: migrations.length,
    store,
    command,
  }
  if (process.stdout.isTTY) process.stdout.write(greeting(startup))
  else log.info(facts(startup), 'ready')
}

/** Renders the demo store's pictures while the server starts, which does not wait for them. */
function renderInBackground(databaseUrl: string): void {
  const ending = new AbortController()
  const options = { signal: ending.signal, isDistributed: readServerNeeds(config).isDistributed }
  const rendering = renderPictures(databaseUrl, createStorage(config), options).catch((error: unknown) => {
    if (!ending.signal.aborted) log.error({ err: error }, 'the images of the demo store could not be rendered')
  })
  closers.push(() => {
    ending.abort()
    return rendering
  })
}

async function serve(databaseUrl: string, secretKey: string): Promise<Serving> {
  const environment = { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey }
  if (config.WORKERS === 1) {
    const serving = await serveHere(config, { databaseUrl, secretKey })
    closers.push(() => serving.close())
    return serving
  }
  const workers = await serveInWorkers({ config, environment, log })
  closers.push(() => workers.close())
  renewWorkers = workers.renew
  return workers
}

/** A worker gets its database and key from the primary process. */
async function startWorker(): Promise<void> {
  const send = (report: Report) => new Promise((resolve) => process.send!(report, resolve))
  try {
    await checkExtensions(config.DATABASE_URL!)
    const serving = await serveAsWorker(config, { databaseUrl: config.DATABASE_URL!, secretKey: config.SECRET_KEY! })
    closers.push(() => serving.close())
    await send({ serves: true })
  } catch (error) {
    await send({ failure: (error as Error).message })
    process.exit(1)
  }
}

/** The message of the error says what to do; LOG_LEVEL=debug adds the stack. */
async function fail(error: Error): Promise<void> {
  if (closingSince > 0) return
  const where = log.isLevelEnabled('debug') ? `\n${error.stack}` : ''
  process.stderr.write(`Stoa did not start. ${error.message}${where}\n`)
  await closeAll()
  process.exit(error instanceof ConfigurationError ? configurationExitCode : 1)
}

async function closeAll(): Promise<void> {
  while (closers.length > 0) await closers.pop()!()
}

/** The first signal drains. After it, only another Ctrl-C ends the process at once. */
function closeOnSignals(): void {
  const handledSignals = ['SIGINT', 'SIGTERM'] as const
  const grace = closeWithGrace(
    { delay: 9_800, skip: [...handledSignals, 'SIGHUP', 'beforeExit', 'unhandledRejection'], logger: false },
    async ({ err }) => {
      if (err) log.fatal({ err }, 'shutting down after an unexpected error')
      await starting.catch(() => {}) // a start in progress is finished first, then ended
      await closeAll()
    },
  )
  // Another part of the operation has ended it, with an answer. Everybody else is served on.
  process.on('unhandledRejection', (err) =>
    log.error({ err }, 'a part of an operation failed, and nobody waited for it'),
  )
  const end = (signal: string) => {
    if (closingSince === 0) {
      closingSince = performance.now()
      log.info({ signal }, 'draining')
      grace.close()
    } else if (signal === 'SIGINT' && performance.now() - closingSince > repeatMs) process.exit(130)
  }
  // A Ctrl-C reaches the workers too, but the primary process ends them.
  handledSignals.forEach((signal) => process.on(signal, cluster.isPrimary || signal === 'SIGTERM' ? end : () => {}))
  // A closed terminal sends SIGHUP too.
  process.on('SIGHUP', () => {
    if (cluster.isWorker) return
    if (renewWorkers && !process.stdout.isTTY) void renewWorkers()
    else end('SIGHUP')
  })
}
