// The addresses of forks: below /forks/{id} of the service, each has an API and a shop of its own. Its dashboard and
// sign-in would share cookies with those of the service, so there are none.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, HTTPMethods } from 'fastify'
import { notFound } from '../../../kit/values/errors.ts'
import { isUuid } from '../../../kit/values/ids.ts'
import { mountSites } from '../../../platform/pages/mount.ts'
import type { InnerOpening } from '../../../tenancy/extensions/extension.ts'
import { fork, forksPath } from '../fork.ts'

/** Hands a request over to the app of a fork. */
export type EnterFork = (id: string, ip: string, request: IncomingMessage, response: ServerResponse) => Promise<void>

const methods: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']

/** The fork parses, checks and answers the request, as the service does its own. */
export function serveForks(server: FastifyInstance, enter: EnterFork): void {
  for (const url of [`${forksPath}/:fork`, `${forksPath}/:fork/*`]) {
    server.route({
      method: methods,
      url,
      async onRequest(request, reply) {
        const { fork: id } = request.params as { fork: string }
        if (!isUuid(id)) throw notFound(fork.noun)
        const { raw } = request
        const below = raw.url!.slice(forksPath.length + 1 + id.length)
        await enter(
          id.toLowerCase(),
          request.ip,
          Object.assign(raw, { url: below.startsWith('/') ? below : `/${below}` }),
          reply.raw,
        )
        reply.hijack()
      },
      handler: () => {},
    })
  }
}

/** Addresses in answers begin with that of the fork, which no search engine lists. */
export function serveInFork(
  server: FastifyInstance,
  { baseUrl, shops, log }: Parameters<InnerOpening['serve']>[1],
): void {
  const base = new URL(baseUrl).pathname
  server.addHook('onSend', async (_request, reply, payload) => {
    reply.header('x-robots-tag', 'noindex, nofollow')
    const location = reply.getHeader('location')
    if (typeof location === 'string' && /^\/(v1|storefront)\//.test(location)) reply.header('location', base + location)
    return payload
  })
  mountSites(server, shops, [], log)
}
