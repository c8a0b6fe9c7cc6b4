// GET /v1/audit.csv: the list of /v1/audit as a file, however long it is, with the same admission and filters.
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { auditCsv } from '../changes/csv.ts'
import { listAudit } from '../changes/routes.ts'
import { admit, type MountOptions } from './mount.ts'

export function serveAuditCsv(app: FastifyInstance, options: MountOptions): void {
  app.get(`${options.prefix}/audit.csv`, {
    onRequest: (request, reply) => admit(request, reply, listAudit, options),
    handler: (request, reply) => {
      const { store } = request.access
      const query = listAudit.query!.read(request.query, { ...store, now: options.db.clock.now() })
      reply.header('content-disposition', 'attachment; filename="audit.csv"').type('text/csv; charset=utf-8')
      return reply.send(Readable.from(auditCsv(options.db.ofStore(store.id), store, query)))
    },
  })
}
