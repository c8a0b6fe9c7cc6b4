// For whoever runs the provider: its whole ledger, and its switches while it runs.
import type { FastifyInstance } from 'fastify'
import { equalSecrets } from '../../kit/values/secrets.ts'
import type { Provider } from './provider.ts'
import { Refusal } from './refusal.ts'
import { shown } from './session.ts'
import { readSwitches } from './switches.ts'

export function serveAdmin(app: FastifyInstance, provider: Provider, token: string): void {
  app.register(async (scope) => {
    scope.addHook('onRequest', async ({ headers }) => {
      if (!equalSecrets(headers.authorization ?? '', `Bearer ${token}`)) {
        throw new Refusal(401, 'no_admin', 'Authorization: Bearer and the token that the start has printed')
      }
    })
    scope.get('/admin/sessions', async () => ({
      data: provider.sessions.all().map((session) => shown(session, provider.url)),
    }))
    scope.get('/admin/switches', async () => provider.switches)
    scope.put('/admin/switches', async ({ body }) => (provider.switches = readSwitches(body)))
    scope.put('/admin/sessions/:id/switches', async ({ params, body }) => {
      const session = provider.find((params as { id: string }).id)
      const changed = { ...session, switches: readSwitches(body) }
      provider.sessions.put(session.id, changed)
      return changed.switches
    })
  })
}
