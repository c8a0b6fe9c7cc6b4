// The ceiling: the same bytes to the same receiver by a bare loop over undici, eight connections, once it is warm: in
// its first three seconds a call costs half as much again.
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'

const { URL: url, CA, BODY, HEADERS, SECONDS = '3', CONNECTIONS = '8' } = process.env
const pool = new Pool(url!, { connections: Number(CONNECTIONS), pipelining: 1, connect: { ca: readFileSync(CA!) } })
const headers = JSON.parse(HEADERS!) as Record<string, string>
const warmUpSeconds = 3

async function callFor(seconds: number): Promise<{ perSecond: number; cpu: number }> {
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  let count = 0
  await Promise.all(
    Array.from({ length: Number(CONNECTIONS) }, async () => {
      while (performance.now() < startedAt + seconds * 1000) {
        const answer = await pool.request({ method: 'POST', path: '/', headers, body: BODY! })
        await answer.body.text()
        count++
      }
    }),
  )
  const { user, system } = process.cpuUsage(cpuBefore)
  return { perSecond: count / ((performance.now() - startedAt) / 1000), cpu: (user + system) / count }
}

await callFor(warmUpSeconds)
process.send!(await callFor(Number(SECONDS)))
await pool.close()
process.disconnect()
