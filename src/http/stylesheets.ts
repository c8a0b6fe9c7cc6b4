// The style sheets of stores. A URL contains all values of its style sheet, so its content never changes.
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
