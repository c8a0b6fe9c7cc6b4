// Reads the configuration, provides the database, serves until a signal ends it. The only file that knows all.
import cluster from 'node:cluster'
import path from 'node:path'
import closeWithGrace from 'close-with-grace'
import {
  baseUrlOf,
  configurationExitCode,
  ConfigurationError,
  loadDotenv,
  readConfig,
  sandboxUrlOf,
  type Config,
} from './config.ts'
import { openLog } from './platform/process/log.ts'
import { bringUpToDate, faultOfLimits, provideDatabase } from './platform/postgres/provide.ts'
import { secretKeyFor } from './platform/postgres/canary.ts'
import { keyFile } from './platform/process/secretkey.ts'
import { commandLine } from './cli/commandline.ts'
import { findFirstStore } from './demo/firststore.ts'
import { hangPictures } from './demo/hang.ts'
import { introduceDemo, isDemo } from './demo/sandbox.ts'
import { facts, greeting } from './greeting.ts'
import { storageOf } from './commerce/media/place.ts'
import { serveAsWorker, serveHere, type Serving } from './serving.ts'
import { serveInWorkers, type Report } from './workers.ts'

const config = configure()
const log = openLog(config.LOG_LEVEL)
/** What has to be ended, the last first. */
const ends: (() => Promise<void>)[] = []
let endingSince = 0
let renewWorkers: (() => Promise<void>) | null = null
// npm passes on a Ctrl-C that the terminal has sent to every process already.
const samePressMs = 300

const started = cluster.isPrimary ? start() : work()
endOnSignals()
try {
  await started
} catch (error) {
  await fail(error as Error)
}

function configure(): Config {
  try {
    loadDotenv()
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(configurationExitCode)
  }
}

async function start(): Promise<void> {
  const database = await provideDatabase({
    dataDir: config.DATA_DIR,
    databaseUrl: config.DATABASE_URL,
    serves: true,
    onExit: (code, reason) => log.error({ code, reason }, 'PostgreSQL ended; it is started again'),
  })
  ends.push(() => database.release())
  if (database.source === 'adopted') log.warn('a process that was killed had left PostgreSQL running: adopted it')
  const fault = faultOfLimits(database.servers + 1, config.REDIS_URL)
  if (fault) log.warn(fault)
  const networks = config.WEBHOOK_ALLOWED_NETWORKS.map(({ base, bits }) => `${base.toString()}/${bits}`)
  if (networks.length > 0) {
    log.warn({ networks }, 'webhooks may reach private networks: WEBHOOK_ALLOWED_NETWORKS is set')
  }

  const migrations = await bringUpToDate(database, { hasRowSecurity: config.ROW_SECURITY === 'on' })
  if (migrations.length > 0) log.info({ migrations }, 'migrated the database')
  const secretKey = await secretKeyFor(database.url, config, { isNew: process.argv.includes('--new-key') })
  if (!config.SECRET_KEY && database.source === 'outside') {
    log.warn({ file: keyFile(config.DATA_DIR) }, 'SECRET_KEY is not set: every other node needs the key of this file')
  }
  const { postgres, store } = await findFirstStore(database.url, {
    secretKey,
    demo: config.DEMO === 'on' && database.source !== 'outside',
    showsKey: process.stdout.isTTY,
    baseUrl: baseUrlOf(config),
    sandboxUrl: sandboxUrlOf(config),
  })
  if (store && isDemo(store)) drawInTheBackground(database.url)
  const serving = await serve(database.url, secretKey)
  const { address } = serving
  if (config.SANDBOX_PORT > 0) await serveSandbox()
  const sandboxUrl = sandboxUrlOf(config)
  if (sandboxUrl && store) await introduceDemo(store, { sandboxUrl, baseUrl: config.BASE_URL ?? address, secretKey })
  const authUrl = config.AUTH_URL ?? config.BASE_URL ?? address
  const command = commandLine(config, authUrl, process.stdout.isTTY)
  const found = {
    address,
    authUrl,
    postgres,
    seconds: performance.now() / 1000,
    workers: config.WORKERS,
    store,
    command,
  }
  if (process.stdout.isTTY) process.stdout.write(greeting(found))
  else log.info(facts(found), 'ready')
}

/** The server starts meanwhile, and does not need it. */
function drawInTheBackground(databaseUrl: string): void {
  const ending = new AbortController()
  const drawn = hangPictures(databaseUrl, storageOf(config), ending.signal).catch((error: unknown) => {
    if (!ending.signal.aborted) log.error({ err: error }, 'the pictures of the demo store were not drawn')
  })
  ends.push(() => {
    ending.abort()
    return drawn
  })
}

async function serve(databaseUrl: string, secretKey: string): Promise<Serving> {
  const environment = { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey }
  if (config.WORKERS === 1) {
    const serving = await serveHere(config, { databaseUrl, secretKey })
    ends.push(() => serving.close())
    return serving
  }
  const workers = await serveInWorkers({ config, environment, log })
  ends.push(() => workers.close())
  renewWorkers = workers.renew
  return workers
}

/** The provider that moves no money, beside the shop that is tried with it. */
async function serveSandbox(): Promise<void> {
  const { openSandbox } = await import('./demo/psp/server.ts')
  const { HOST: host, SANDBOX_PORT: port, DATA_DIR } = config
  const sandbox = await openSandbox({
    host,
    port,
    url: sandboxUrlOf(config)!,
    file: path.join(DATA_DIR, 'sandbox.jsonl'),
    log,
  })
  ends.push(() => sandbox.close())
}

/** A worker has its database and key from the first process. */
async function work(): Promise<void> {
  const tell = (report: Report) => new Promise((sent) => process.send!(report, sent))
  try {
    const serving = await serveAsWorker(config, { databaseUrl: config.DATABASE_URL!, secretKey: config.SECRET_KEY! })
    ends.push(() => serving.close())
    await tell({ serves: true })
  } catch (error) {
    await tell({ failure: (error as Error).message })
    process.exit(1)
  }
}

/** An error that ends the process says what to do in its message; LOG_LEVEL=debug shows where it arose. */
async function fail(error: Error): Promise<void> {
  if (endingSince > 0) return
  const where = log.isLevelEnabled('debug') ? `\n${error.stack}` : ''
  process.stderr.write(`Stoa did not start. ${error.message}${where}\n`)
  await endAll()
  process.exit(error instanceof ConfigurationError ? configurationExitCode : 1)
}

async function endAll(): Promise<void> {
  while (ends.length > 0) await ends.pop()!()
}

/** The first signal drains; of those after it only another Ctrl-C ends the process at once. */
function endOnSignals(): void {
  const inOwnHands = ['SIGINT', 'SIGTERM'] as const
  const grace = closeWithGrace(
    { delay: 9_800, skip: [...inOwnHands, 'SIGHUP', 'beforeExit'], logger: false },
    async ({ err }) => {
      if (err) log.fatal({ err }, 'an unexpected error ends the process')
      await started.catch(() => {}) // what is half started is started first, then ended
      await endAll()
    },
  )
  const end = (signal: string) => {
    if (endingSince === 0) {
      endingSince = performance.now()
      log.info({ signal }, 'draining')
      grace.close()
    } else if (signal === 'SIGINT' && performance.now() - endingSince > samePressMs) process.exit(130)
  }
  // A Ctrl-C reaches the workers too, but it is the first process that ends them.
  inOwnHands.forEach((signal) => process.on(signal, cluster.isPrimary || signal === 'SIGTERM' ? end : () => {}))
  // A terminal that is closed sends it too.
  process.on('SIGHUP', () => {
    if (cluster.isWorker) return
    if (renewWorkers && !process.stdout.isTTY) void renewWorkers()
    else end('SIGHUP')
  })
}
