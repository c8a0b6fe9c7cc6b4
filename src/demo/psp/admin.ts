// The operator's endpoints: all sessions, and the switches while the provider runs.
import type { FastifyInstance } from 'fastify'
import { equalSecrets } from '../../kit/values/secrets.ts'
import type { SandboxProvider } from './provider.ts'
import { SandboxError } from './errors.ts'
import { sessionBody } from './session.ts'
import { readSwitches } from './switches.ts'

export function serveAdmin(app: FastifyInstance, provider: SandboxProvider, token: string): void {
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
      const updated = { ...session, switches: readSwitches(body) }
      provider.sessions.put(session.id, updated)
      return updated.switches
    })
  })
}
