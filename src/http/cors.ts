// Opens routes to scripts of any website: none of them reads cookies, so there is nothing to misuse. The plugin
// @fastify/cors does not fit: its route for OPTIONS is `*`, which would open every other address of the server too.
import type { FastifyReply } from 'fastify'

export function openToOrigins(reply: FastifyReply, exposedHeaders?: string): void {
  reply.header('access-control-allow-origin', '*')
  if (exposedHeaders) reply.header('access-control-expose-headers', exposedHeaders)
}

export function preflight(
  reply: FastifyReply,
  { methods, headers, maxAgeSeconds }: { methods: string; headers: string; maxAgeSeconds: number },
): FastifyReply {
  openToOrigins(reply)
  reply.header('access-control-allow-methods', methods).header('access-control-allow-headers', headers)
  return reply.code(204).header('access-control-max-age', String(maxAgeSeconds)).send()
}
