// From the API's answer to the receiver: alone, beside a receiver that hangs, and beside the backlog of a dead one.
import { setTimeout as sleep } from 'node:timers/promises'
import { publicId, toUuid } from '../../src/kit/values/ids.ts'
import { sql } from '../../src/kit/database/sql.ts'
import { apiOf, machineMs, percentile, queue, type Api, type World } from './world.ts'

const backlog = 200_000
const perSecond = 50
const seconds = 20

export async function latency(world: World): Promise<string> {
  const { db, store, receiver } = world
  const server = await world.serve()
  const api = apiOf(server, world.keys)
  const healthy = await api('POST', '/v1/webhooks', { url: `${receiver.url}/`, events: ['product.created'] })
  await create(api, 2)
  const alone = await measured(world, api)
  const hanging = await api('POST', '/v1/webhooks', { url: `${receiver.url}/hang/1`, events: ['product.created'] })
  const besideOne = await measured(world, api)
  await api('PATCH', `/v1/webhooks/${hanging.id}`, { is_active: false })
  await queue(db, store, toUuid('wh', hanging.id)!, backlog, '{}')
  await api('PATCH', `/v1/webhooks/${hanging.id}`, { is_active: true })
  const besideBacklog = await measured(world, api)
  await api('DELETE', `/v1/webhooks/${hanging.id}`)
  await api('DELETE', `/v1/webhooks/${healthy.id}`)
  await server.kill('SIGKILL')
  return `| From the API's answer to the receiver, ${perSecond} a second, alone | ${alone} |
| … beside a receiver that hangs | ${besideOne} |
| … beside it with ${backlog.toLocaleString('en')} deliveries of its own waiting | ${besideBacklog} |`
}

async function measured(world: World, api: Api): Promise<string> {
  await world.receiver.tell('forget')
  const answered = await create(api, seconds)
  await sleep(1000)
  const { arrivals } = await world.receiver.tell('tell')
  const rows = await world.db.rows<{ id: string; event_id: string }>(sql`
    select deliveries.id, events.event_id
    from events
    join deliveries on deliveries.store_id = events.store_id and deliveries.event_uuid = events.id
    where events.store_id = ${world.store.id}
      and events.event_id = any(${[...answered.keys()]}::text[])`)
  const waits = rows.flatMap(({ id, event_id }) => {
    const arrived = arrivals[publicId('dlv', id)]?.[0]
    return arrived === undefined ? [] : [arrived - answered.get(event_id)!]
  })
  const [p50, p99] = [percentile(waits, 0.5), percentile(waits, 0.99)]
  return `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${waits.length} of ${answered.size} arrived`
}

/** Products at an even rate; answers when the API answered for each. */
async function create(api: Api, duration: number): Promise<Map<string, number>> {
  const answered = new Map<string, number>()
  const calls: Promise<unknown>[] = []
  for (let index = 0; index < duration * perSecond; index++) {
    const call = api('POST', '/v1/products', { name: 'Backpack', price: 10 }).then(({ id }) =>
      answered.set(id, machineMs()),
    )
    call.catch(() => {}) // thrown below
    calls.push(call)
    await sleep(1000 / perSecond)
  }
  await Promise.all(calls)
  return answered
}
