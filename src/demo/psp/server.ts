// A payment provider as a server, for tests, demos and authors of other providers. It behaves like a real one and fails
// on request.
import Fastify, { LogController, type FastifyBaseLogger } from 'fastify'
import { systemClock, type Clock } from '../../kit/values/clock.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { randomBase62 } from '../../kit/values/secrets.ts'
import { mountSites } from '../../platform/pages/mount.ts'
import { openLog, type Log } from '../../platform/process/log.ts'
import { serveAdmin } from './admin.ts'
import { serveApi } from './api.ts'
import { providerSite } from './pages.ts'
import { openProvider, type SandboxProvider } from './provider.ts'
import { openStorage } from './storage.ts'
import type { Switches } from './switches.ts'
import type { Timing } from './timers.ts'

export type SandboxOptions = {
  port?: number
  host?: string
  /** The provider stores its state in this file, which survives the process. */
  file?: string | null
  switches?: Switches
  timing?: Partial<Timing>
  adminToken?: string
  /** The public URL, if it differs from the listening address. */
  url?: string
  clock?: Clock
  random?: () => number
  log?: Log
}

export type Sandbox = { url: string; adminToken: string; provider: SandboxProvider; close(): Promise<void> }

const defaultTiming: Timing = { lateMs: 4_000, delayMs: 5_000, retriesMs: [1_000, 5_000, 30_000, 120_000] }

export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, host = '127.0.0.1', file = null, switches = {}, clock = systemClock } = options
  const { random = Math.random, adminToken = randomBase62(32), log = openLog('silent') } = options
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 200 },
  })
  const timing = { ...defaultTiming, ...options.timing }
  const provider = openProvider({
    url: options.url ?? '',
    collection: openStorage(file),
    switches,
    timing,
    clock,
    random,
  })
  app.decorateRequest('uuid', '')
  app.addHook('onRequest', async (request, reply) => {
    request.uuid = newUuid()
    reply.headers({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' })
  })
  app.register(async (scope) => serveApi(scope, provider))
  serveAdmin(app, provider, adminToken)
  mountSites(app, [providerSite(provider)], [], log)
  const address = await app.listen({ port, host })
  provider.url ||= address
  return {
    url: provider.url,
    adminToken,
    provider,
    async close() {
      provider.close()
      await app.close()
    },
  }
}
