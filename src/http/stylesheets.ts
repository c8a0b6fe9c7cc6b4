// The style sheets of stores: the same for everybody, and for ever what their address says.
import type { FastifyInstance } from 'fastify'
import { stylesheetAt, stylesheetPrefix } from '../storefront/branding/stylesheet.ts'

export function serveStylesheets(server: FastifyInstance): void {
  server.get<{ Params: { name: string; file: string } }>(`${stylesheetPrefix}/:name/:file`, (request, reply) =>
    reply
      .type('text/css; charset=utf-8')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .send(stylesheetAt(request.params.name, request.params.file)),
  )
}
