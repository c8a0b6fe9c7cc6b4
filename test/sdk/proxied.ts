// A network that fails as it is told to.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

export type Instead = { status: number; headers?: object } | 'lost' | null

/** A proxy of the server that answers in its place where `answer` returns a status, or keeps its answer back. */
export async function proxied(target: string, answer: (attempt: number) => Instead) {
  const seen: http.IncomingHttpHeaders[] = []
  const server = http.createServer(async (request, response) => {
    seen.push(request.headers)
    const instead = answer(seen.length)
    if (instead && instead !== 'lost') return response.writeHead(instead.status, { ...instead.headers }).end('<html>')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { host, connection, 'transfer-encoding': _, 'content-length': __, ...headers } = request.headers
    const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}
    const real = await fetch(target + request.url, {
      method: request.method!,
      headers: headers as Record<string, string>,
      ...body,
    })
    const text = await real.text()
    if (instead === 'lost') return request.socket.destroy()
    response.writeHead(real.status, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}
