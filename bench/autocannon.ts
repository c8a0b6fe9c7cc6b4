// The load by autocannon, where wrk is not installed: reads what to send from a file, prints what was measured.
import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'
import type { Load } from './generator.ts'

const { url, requests, seconds, connections } = JSON.parse(readFileSync(process.argv[2]!, 'utf8'))
const result = await autocannon({ url, connections, duration: seconds, requests })
const load: Load = {
  count: result.requests.total,
  took: result.duration,
  p50: result.latency.p50,
  p99: result.latency.p99,
  failed: result.non2xx + result.errors,
}
console.log(JSON.stringify(load))
