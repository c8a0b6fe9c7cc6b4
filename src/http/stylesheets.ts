// The style sheets of stores: the same for everybody, and for ever what their address says.
import type { FastifyInstance } from 'fastify'
import { lookAt, lookPrefix } from '../storefront/branding/stylesheet.ts'

export function serveLooks(server: FastifyInstance): void {
  server.get<{ Params: { name: string; file: string } }>(`${lookPrefix}/:name/:file`, (request, reply) =>
    reply
      .type('text/css; charset=utf-8')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .send(lookAt(request.params.name, request.params.file)),
  )
}
