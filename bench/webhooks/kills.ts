// What kill -9 costs: of the server that delivers, thirty times at 200 deliveries a second, and of PostgreSQL.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newUuid, publicId, toUuid } from '../../src/kit/values/ids.ts'
import { sql } from '../../src/kit/database/sql.ts'
import { channel, notifyEveryMs } from '../../src/developer/webhooks/delivery/worker.ts'
import { postmasterOf } from '../../test/postmaster.ts'
import { apiOf, machineMs, percentile, type World } from './world.ts'

const kills = 30
const kill = { every: 2000, ofPostgres: 5 }
const perSecond = 200

export async function killsOfServer(world: World): Promise<string> {
  let server = await world.serve()
  const feed = await feeding(world, apiOf(server, world.keys))
  for (let round = 0; round < kills; round++) {
    await sleep(kill.every)
    await server.kill('SIGKILL')
    server = await world.serve()
  }
  const figures = await feed.end()
  await server.kill('SIGKILL')
  return `| ${kills} × kill -9 of the server at ${perSecond} deliveries a second | ${figures} |`
}

export async function killsOfPostgres(world: World): Promise<string> {
  const server = await world.serve()
  const feed = await feeding(world, apiOf(server, world.keys))
  for (let round = 0; round < kill.ofPostgres; round++) {
    await sleep(kill.every)
    process.kill((await postmasterOf(join(world.folder, 'data')))!, 'SIGKILL')
  }
  await sleep(kill.every)
  const figures = await feed.end()
  await server.kill('SIGKILL')
  return `| ${kill.ofPostgres} × kill -9 of PostgreSQL at ${perSecond} deliveries a second | ${figures} |`
}

/** Queues deliveries as another process does, at an even rate, and remembers those whose commit was answered. */
async function feeding({ db, store, receiver }: World, api: ReturnType<typeof apiOf>) {
  const hook = await api('POST', '/v1/webhooks', { url: `${receiver.url}/`, events: ['product.created'] })
  await receiver.tell('forget')
  const webhookId = toUuid('wh', hook.id)!
  const committed = new Map<string, number>()
  let isEnding = false
  const one = async () => {
    const [eventId, id] = [newUuid(), newUuid()]
    await db.transaction(async (tx) => {
      tx.later(sql`
        insert into events (store_id, id, event, event_id, body, occurred_at)
        values (${store.id}, ${eventId}, 'product.created', 'prod_x', '{}', ${tx.now})`)
      tx.later(sql`insert into unnumbered_events (store_id, event_uuid) values (${store.id}, ${eventId})`)
      tx.later(sql`
        insert into deliveries (store_id, id, webhook_id, event_uuid, event, run_at, created_at)
        values (${store.id}, ${id}, ${webhookId}, ${eventId}, 'product.created', ${tx.now}, ${tx.now})`)
    })
    committed.set(publicId('dlv', id), machineMs())
  }
  const loop = (async () => {
    const writes: Promise<void>[] = []
    while (!isEnding) {
      writes.push(one().catch(() => {}))
      await sleep(1000 / perSecond)
    }
    await Promise.all(writes)
  })()
  const notice = setInterval(() => {
    db.rows(sql`select pg_notify(${channel}, '')`).catch(() => {})
  }, notifyEveryMs)
  return {
    async end(): Promise<string> {
      isEnding = true
      await loop
      clearInterval(notice)
      let told = await receiver.tell('tell')
      for (let waited = 0; waited < 30 && [...committed.keys()].some((id) => !told.arrivals[id]); waited++) {
        await sleep(1000)
        told = await receiver.tell('tell')
      }
      const lost = [...committed.keys()].filter((id) => !told.arrivals[id]).length
      const repeated = [...committed.keys()].filter((id) => (told.arrivals[id]?.length ?? 0) > 1).length
      const waits = [...committed].flatMap(([id, at]) => (told.arrivals[id] ? [told.arrivals[id][0]! - at] : []))
      const part = ((repeated / committed.size) * 100).toFixed(1)
      const [p50, worst] = [percentile(waits, 0.5).toFixed(0), (percentile(waits, 1) / 1000).toFixed(1)]
      return `${committed.size}: **${lost} lost**, ${part} % repeated, p50 ${p50} ms, worst delay ${worst} s`
    },
  }
}
