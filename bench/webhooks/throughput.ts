// Deliveries a second to one receiver, against a bare undici loop that sends it the same bytes over eight connections.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { uuidOf } from '../../src/kit/ids.ts'
import { bodyOf } from '../../src/events/emit.ts'
import { samples } from '../../src/webhooks/samples.ts'
import { signedHeaders } from '../../src/webhooks/signature.ts'
import { cpuOf } from '../processes.ts'
import { apiOf, queue, type World } from './world.ts'

const count = 20_000
const rounds = 5

export async function throughput(world: World): Promise<string> {
  const { db, store, receiver } = world
  const server = await world.serve()
  const api = apiOf(server, world.keys)
  const { subjectId, payload } = samples['product.created']
  const body = bodyOf(store, 'product.created', subjectId, payload, new Date())
  const hook = await api('POST', '/v1/webhooks', { url: `${receiver.url}/`, events: ['product.created'] })
  const results: Result[] = []
  for (let round = 0; round <= rounds; round++) {
    const raw = await rawLoop(world, body)
    await api('PATCH', `/v1/webhooks/${hook.id}`, { is_active: false })
    await receiver.tell('forget')
    await queue(db, store, uuidOf('wh', hook.id)!, count, body)
    const cpu = cpuOf(server.child.pid!)
    await api('PATCH', `/v1/webhooks/${hook.id}`, { is_active: true })
    let told = await receiver.tell('count')
    while (told.count < count) {
      await sleep(200)
      told = await receiver.tell('count')
    }
    const ours = (count / (told.lastAt - told.firstAt)) * 1000
    if (round > 0) results.push({ raw, ours, cpu: (cpuOf(server.child.pid!) - cpu) / count })
  }
  await server.kill('SIGKILL')
  const ratioOf = ({ ours, raw }: Result) => ours / raw.perSecond
  const median = results.toSorted((a, b) => ratioOf(a) - ratioOf(b))[Math.floor(rounds / 2)]!
  const ratios = results.map((result) => ratioOf(result).toFixed(2)).join(', ')
  const cpus = [median.cpu, median.raw.cpu].map((cpu) => `${cpu.toFixed(0)} µs`)
  return `| Deliveries a second to one receiver | ${median.ours.toFixed(0)} |
| The same bytes by a bare undici loop | ${median.raw.perSecond.toFixed(0)} |
| Ratio, median of ${rounds} rounds of ${count} (each: ${ratios}) | **${ratioOf(median).toFixed(2)}** |
| CPU of one: the worker's process ÷ the bare loop's | ${cpus.join(' ÷ ')} |`
}

type Raw = { perSecond: number; cpu: number }
type Result = { raw: Raw; ours: number; cpu: number }

async function rawLoop({ receiver, folder }: World, body: string): Promise<Raw> {
  const signed = { id: 'raw', event: 'product.created', body, timestamp: 1_800_000_000 }
  const headers = JSON.stringify(signedHeaders(signed, 'x'.repeat(64), null))
  const child = fork(new URL('raw.ts', import.meta.url).pathname, {
    env: { ...process.env, URL: receiver.url, CA: join(folder, 'CA.pem'), BODY: body, HEADERS: headers },
  })
  const [raw] = await once(child, 'message') as [Raw]
  await once(child, 'exit')
  return raw
}
