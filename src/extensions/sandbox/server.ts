// A payment provider as a server, for tests, demos and authors of other providers. It behaves like a real one and fails
// on request.
import Fastify, { LogController, type FastifyBaseLogger } from 'fastify'
import { systemClock, type Clock } from '../../kit/values/clock.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { randomBase62, equalSecrets } from '../../kit/values/secrets.ts'
import { mountSites } from '../../platform/pages/mount.ts'
import { openLog, type Log } from '../../platform/process/log.ts'
import { serveApi } from './api.ts'
import { providerSite } from './pages.ts'
import { openProvider, type SandboxProvider } from './provider.ts'
import { openStorage } from './storage.ts'
import { type Switches, readSwitches } from './switches.ts'
import type { Timing } from './timers.ts'
import type { FastifyInstance } from 'fastify'
import { SandboxError } from './errors.ts'
import { sessionBody } from './session.ts'

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

// The operator's endpoints: all sessions, and the switches while the provider runs.

function serveAdmin(app: FastifyInstance, provider: SandboxProvider, token: string): void {
  app.register(async (scope) => {
    scope.addHook('onRequest', async ({ headers }) => {
      if (!equalSecrets(headers.authorization ?? '', `Bearer ${token}`)) {
        throw new SandboxError(401, 'no_admin', 'send the token printed at startup as Authorization: Bearer <token>')
      }
    })
    scope.get('/admin/sessions', async () => ({
      data: provider.sessions.all().map((session) => sessionBody(session, provider.url)),
    }))
    scope.get('/admin/switches', async () => provider.switches)
    scope.put('/admin/switches', async ({ body }) => (provider.switches = readSwitches(body)))
    scope.put('/admin/sessions/:id/switches', async ({ params, body }) => {
      const session = provider.find((params as { id: string }).id)
      const newSession = { ...session, switches: readSwitches(body) }
      provider.sessions.put(session.id, newSession)
      return newSession.switches
    })
  })
}
