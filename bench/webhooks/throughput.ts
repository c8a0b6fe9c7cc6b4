// Deliveries a second to one receiver, against a bare undici loop that sends it the same bytes over eight connections:
// alone, and beside a process that takes as much of a core as PostgreSQL did for the deliveries.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { toUuid } from '../../src/kit/values/ids.ts'
import { buildEventBody } from '../../src/tenancy/events/emit.ts'
import { declaredEvents } from '../../src/developer/webhooks/events.ts'
import { signedHeaders } from '../../src/platform/outbound/signature.ts'
import { postmasterOf } from '../../test/postmaster.ts'
import { cpuOf, cpuOfPostgres } from '../processes.ts'
import { apiOf, queue, type World } from './world.ts'

const count = 20_000
const rounds = 5

export async function throughput(world: World): Promise<string> {
  const { db, store, receiver } = world
  const server = await world.serve()
  const api = apiOf(server, world.keys)
  const { subjectId, payload } = declaredEvents['product.created'].sample
  const body = buildEventBody(store, 'product.created', subjectId, payload, new Date())
  const hook = await api('POST', '/v1/webhooks', { url: `${receiver.url}/`, events: ['product.created'] })
  const postmaster = (await postmasterOf(join(world.folder, 'data')))!
  const results: Result[] = []
  for (let round = 0; round <= rounds; round++) {
    const raw = await rawLoop(world, body)
    await api('PATCH', `/v1/webhooks/${hook.id}`, { is_active: false })
    await receiver.tell('forget')
    await queue(db, store, toUuid('wh', hook.id)!, count, body)
    const [cpu, database] = [cpuOf(server.child.pid!), cpuOfPostgres(postmaster)]
    await api('PATCH', `/v1/webhooks/${hook.id}`, { is_active: true })
    let told = await receiver.tell('count')
    while (told.count < count) {
      await sleep(200)
      told = await receiver.tell('count')
    }
    const ours = (count / (told.lastAt - told.firstAt)) * 1000
    const share = (cpuOfPostgres(postmaster) - database) / 1000 / (told.lastAt - told.firstAt)
    const beside = await besideBusy(share, () => rawLoop(world, body))
    if (round > 0) results.push({ raw, ours, beside, share, cpu: (cpuOf(server.child.pid!) - cpu) / count })
  }
  await server.kill('SIGKILL')
  const ratioOf = ({ ours, raw }: Result) => ours / raw.perSecond
  const besideOf = ({ ours, beside }: Result) => ours / beside.perSecond
  const median = results.toSorted((a, b) => ratioOf(a) - ratioOf(b))[Math.floor(rounds / 2)]!
  const ratios = results.map((result) => ratioOf(result).toFixed(2)).join(', ')
  const cpus = [median.cpu, median.raw.cpu].map((cpu) => `${cpu.toFixed(0)} µs`)
  const shared = results.toSorted((a, b) => besideOf(a) - besideOf(b))[Math.floor(rounds / 2)]!
  return `| Deliveries a second to one receiver | ${median.ours.toFixed(0)} |
| The same bytes by a bare undici loop | ${median.raw.perSecond.toFixed(0)} |
| Ratio, median of ${rounds} rounds of ${count} (each: ${ratios}) | **${ratioOf(median).toFixed(2)}** |
| The loop beside ${shared.share.toFixed(2)} of a core, PostgreSQL's share | ${shared.beside.perSecond.toFixed(0)} |
| Ratio to that, median of ${rounds} rounds | **${besideOf(shared).toFixed(2)}** |
| CPU of one: the worker's process ÷ the bare loop's | ${cpus.join(' ÷ ')} |`
}

type Raw = { perSecond: number; cpu: number }
/** `share` of a core that PostgreSQL took; `beside`, the bare loop beside as much. */
type Result = { raw: Raw; ours: number; beside: Raw; share: number; cpu: number }

async function besideBusy<T>(share: number, run: () => Promise<T>): Promise<T> {
  const busy = fork(new URL('busy.ts', import.meta.url).pathname, { env: { ...process.env, SHARE: String(share) } })
  try {
    return await run()
  } finally {
    busy.disconnect()
  }
}

async function rawLoop({ receiver, folder }: World, body: string): Promise<Raw> {
  const signed = { id: 'raw', event: 'product.created', body, sequence: 1, timestamp: 1_800_000_000 }
  const headers = JSON.stringify(signedHeaders(signed, 'x'.repeat(64), null))
  const child = fork(new URL('raw.ts', import.meta.url).pathname, {
    env: { ...process.env, URL: receiver.url, CA: join(folder, 'CA.pem'), BODY: body, HEADERS: headers },
  })
  const [raw] = (await once(child, 'message')) as [Raw]
  await once(child, 'exit')
  return raw
}
