// A receiver of its own process: answers at once, or never under /hang. It tells its parent what came and when.
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { readFileSync } from 'node:fs'

export type Told = { count: number; firstAt: number; lastAt: number; arrivals: Record<string, number[]> }

// Of each X-Webhook-Id the times of its arrivals, by a clock that all processes of this machine share.
let arrivals = new Map<string, number[]>()
let count = 0
let firstAt = 0
let lastAt = 0

const certificate = { key: readFileSync(process.env.TLS_KEY!), cert: readFileSync(process.env.TLS_CERT!) }
const server = createServer(certificate, (request, response) => {
  const at = Number(process.hrtime.bigint()) / 1e6
  const id = String(request.headers['x-webhook-id'])
  const hangs = request.url!.startsWith('/hang')
  request.resume()
  request.on('end', () => {
    if (hangs) return
    firstAt ||= at
    lastAt = at
    count++
    const known = arrivals.get(id)
    if (known) known.push(at)
    else arrivals.set(id, [at])
    response.end('ok')
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }))

process.on('message', (wanted: 'tell' | 'count' | 'forget') => {
  if (wanted === 'forget') {
    arrivals = new Map()
    count = firstAt = lastAt = 0
  }
  const told: Told = { count, firstAt, lastAt, arrivals: wanted === 'tell' ? Object.fromEntries(arrivals) : {} }
  process.send!(told)
})
process.on('disconnect', () => process.exit())
