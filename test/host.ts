// Requests to the host of a store: fetch would not let the Host header through.
import { request } from 'node:http'
import type { World } from './world.ts'

export type HostAnswer = { status: number; headers: Record<string, unknown>; text: string }

export function getAtHost(
  world: Pick<World, 'url'>,
  host: string,
  path = '/',
  headers: Record<string, string> = {},
): Promise<HostAnswer> {
  const { hostname, port } = new URL(world.url)
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers: { host, ...headers } }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, text }))
    })
      .on('error', reject)
      .end()
  })
}
