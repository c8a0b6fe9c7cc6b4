// How long `npm start` takes until /readyz answers, on a new and on an initialised data directory, and what memory the
// server has before and after a load of reads and writes.  npx node bench/start.ts [rounds] [seconds]
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import autocannon from 'autocannon'
import { newStore, root } from '../test/server.ts'
import { memoryMiBOf, startTree } from './processes.ts'

const [rounds = 5, seconds = 60] = process.argv.slice(2).map(Number)
const port = await freePort()
const url = `http://127.0.0.1:${port}`

const [first, warm]: [number[], number[]] = [[], []]
for (let round = 0; round < rounds; round++) {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'stoa-start-'))
  const one = await start(dataDir)
  first.push(one.ms)
  await one.stop()
  const again = await start(dataDir)
  warm.push(again.ms)
  if (round === rounds - 1) await load(dataDir, again.pid)
  await again.stop()
  await rm(dataDir, { recursive: true })
}
console.log(`first start  ${shown(first)}`)
console.log(`warm start   ${shown(warm)}`)

async function start(dataDir: string) {
  const startedAt = performance.now()
  const server = await startTree(root, port, { DATA_DIR: dataDir })
  return { ...server, ms: performance.now() - startedAt }
}

/** Each key has 1,000 requests a minute: 200 of them never run out. */
async function load(dataDir: string, pid: number): Promise<void> {
  const stores = await Promise.all(Array.from({ length: 4 }, () => newStore(dataDir, 50)))
  const idle = memoryMiBOf(pid)
  const items = [{ product_name: 'X', unit_price: 1, quantity: 1 }]
  const requests = stores
    .flatMap(({ keys }) => keys)
    .flatMap((key) => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      return [
        { method: 'GET', path: '/v1/products', headers },
        { method: 'GET', path: '/v1/orders?status=pending', headers },
        { method: 'GET', path: '/v1/products?search=lamp&sort=price', headers },
        { method: 'POST', path: '/v1/products', headers, body: JSON.stringify({ name: 'Lamp', price: 10 }) },
        { method: 'POST', path: '/v1/orders', headers, body: JSON.stringify({ items }) },
      ] as const
    })
  const result = await autocannon({ url, connections: 64, duration: seconds, requests: requests as never })
  const counts = `${result.requests.total} requests, ${result.non2xx} refused, ${result.errors} failed`
  const memory = `${idle} MiB idle, ${memoryMiBOf(pid)} MiB after ${seconds} s over 64 connections`
  console.log(`memory       ${memory} (${counts})`)
}

function shown(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b).map(Math.round)
  return `median ${sorted[Math.floor(sorted.length / 2)]} ms, ${sorted[0]} to ${sorted.at(-1)} (${sorted.length} times)`
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  server.close()
  return port
}
