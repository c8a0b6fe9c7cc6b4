// The house's own payment provider as a server: for tests, for a demo, for whoever writes a provider of their own. It
// keeps to what real ones do, and goes wrong on request.
import Fastify, { LogController, type FastifyBaseLogger } from 'fastify'
import { systemClock, type Clock } from '../../kit/values/clock.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { randomBase62 } from '../../kit/values/secrets.ts'
import { mountSites } from '../../platform/pages/mount.ts'
import { openLog, type Log } from '../../platform/process/log.ts'
import { serveAdmin } from './admin.ts'
import { serveApi } from './api.ts'
import { providerSite } from './pages.ts'
import { openProvider, type Provider } from './provider.ts'
import { openShelves } from './shelf.ts'
import type { Switches } from './switches.ts'
import type { Timing } from './timers.ts'

export type SandboxOptions = {
  port?: number
  host?: string
  /** What it remembers survives its process in this file. */
  file?: string | null
  switches?: Switches
  timing?: Partial<Timing>
  adminToken?: string
  /** Where shoppers reach it, when that is not where it listens. */
  url?: string
  clock?: Clock
  random?: () => number
  log?: Log
}

export type Sandbox = { url: string; adminToken: string; provider: Provider; close(): Promise<void> }

const usualTiming: Timing = { lateMs: 4_000, delayMs: 5_000, retriesMs: [1_000, 5_000, 30_000, 120_000] }

export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, host = '127.0.0.1', file = null, switches = {}, clock = systemClock } = options
  const { random = Math.random, adminToken = randomBase62(32), log = openLog('silent') } = options
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 200 },
  })
  const timing = { ...usualTiming, ...options.timing }
  const provider = openProvider({ url: options.url ?? '', shelves: openShelves(file), switches, timing, clock, random })
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
