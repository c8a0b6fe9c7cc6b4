// Every route that a server has, whichever table or file it comes from: a new one is in the tests that go through all.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'

export type Served = { method: string; url: string; config: Record<string, unknown>; host: RegExp | null }

/** What `open` opens, and the routes of the servers that it opened. */
export async function withRoutes<T>(open: () => Promise<T>): Promise<{ opened: T; routes: Served[] }> {
  const routes: Served[] = []
  const listen = (message: unknown) =>
    (message as { fastify: FastifyInstance }).fastify.addHook(
      'onRoute',
      (route) => void routes.push(...servedBy(route)),
    )
  subscribe('fastify.initialization', listen)
  try {
    return { opened: await open(), routes }
  } finally {
    unsubscribe('fastify.initialization', listen)
  }
}

function servedBy({ method, url, config, constraints }: RouteOptions): Served[] {
  const { host = null } = (constraints ?? {}) as { host?: RegExp }
  return [method].flat().map((one) => ({ method: one, url, config: (config ?? {}) as Served['config'], host }))
}

/** The address with values in place of its parameters. */
export function addressOf({ url }: Served, values: Record<string, string>, otherwise = 'nobody'): string {
  return url.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? otherwise).replace('*', otherwise)
}
