// The ceiling: the same bytes to the same receiver by a bare loop over undici, eight connections.
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'

const { URL: url, CA, BODY, HEADERS, SECONDS = '3', CONNECTIONS = '8' } = process.env
const pool = new Pool(url!, { connections: Number(CONNECTIONS), pipelining: 1, connect: { ca: readFileSync(CA!) } })
const headers = JSON.parse(HEADERS!) as Record<string, string>
const until = performance.now() + Number(SECONDS) * 1000
let count = 0

async function loop(): Promise<void> {
  while (performance.now() < until) {
    const answer = await pool.request({ method: 'POST', path: '/', headers, body: BODY! })
    await answer.body.text()
    count++
  }
}

const startedAt = performance.now()
const cpuBefore = process.cpuUsage()
await Promise.all(Array.from({ length: Number(CONNECTIONS) }, loop))
const { user, system } = process.cpuUsage(cpuBefore)
process.send!({ perSecond: count / ((performance.now() - startedAt) / 1000), cpu: (user + system) / count })
await pool.close()
process.disconnect()
