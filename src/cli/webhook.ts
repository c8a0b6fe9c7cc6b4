// Webhooks while one develops: events carried to a local address, and sample events.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Database } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'
import { boundsOf, type Bounds } from '../tenancy/events/bounds.ts'
import { emit, eventTypes } from '../tenancy/events/emit.ts'
import { numberEvents } from '../tenancy/events/number.ts'
import { samples } from '../developer/webhooks/samples.ts'
import { newSecretText } from '../developer/webhooks/secrets.ts'
import { channel, eventChannel } from '../developer/webhooks/delivery/worker.ts'
import { print, type Actions } from './output.ts'
import { carrier, examineCommand, knownEvent, localUrl, type Carried } from './receiver.ts'
import { storeWith } from './session.ts'

export function webhookCommands(program: Command, { act, change }: Actions): void {
  examineCommand(program)
  program
    .command('trigger <event>')
    .description(`Emit an event with invented content, as if it had happened (${eventTypes.join(', ')})`)
    .requiredOption('--store <id>', 'whose webhooks shall get it')
    .action(
      change(async (session, { store: storeId }, event) => {
        const type = knownEvent('event', event!)
        const store = await storeWith(session, storeId!)
        const { subjectId, payload } = samples[type]
        await session.db.transaction(async (tx) => {
          emit(tx, store, type, subjectId, payload)
          tx.later(sql`select pg_notify(${channel}, ''), pg_notify(${eventChannel}, ${store.id})`)
        })
        return { json: { event: type, event_id: subjectId }, text: `${type} of ${subjectId} was emitted` }
      }),
    )

  program
    .command('listen')
    .description('Carry the events of a store to a local address, signed, until Ctrl-C')
    .requiredOption('--store <id>', 'whose events')
    .requiredOption('--forward-to <url>', 'where they go, e.g. http://localhost:3000/hooks')
    .option('--secret <secret>', 'what signs them; made when omitted')
    .action(
      act('calls a receiver until Ctrl-C', async (session, { store: storeId, forwardTo, secret = newSecretText() }) => {
        const url = localUrl('forward_to', forwardTo!)
        const store = await storeWith(session, storeId!)
        const after = await endOfLog(session.db, store.id)
        say({ secret }, `Carrying the events of ${store.name} to ${forwardTo}, signed with ${secret}`)
        const carried = await carry(session.db, store.id, { after, forward: carrier(url, secret) })
        return { json: { carried }, text: `${carried} events carried` }
      }),
    )
}

const everyMs = 300

/** The number of the last event so far. */
async function endOfLog(db: Database, storeId: string): Promise<number> {
  await catchUp(db, storeId)
  const log = await db.one<Bounds>(boundsOf(storeId))
  return log!.newest
}

async function catchUp(db: Database, storeId: string): Promise<void> {
  while (await db.transaction((tx) => numberEvents(tx, [storeId])));
}

type Carrying = { after: number; forward: ReturnType<typeof carrier> }

async function carry(db: Database, storeId: string, { after, forward }: Carrying): Promise<number> {
  let isOver = false
  let carried = 0
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      isOver = true
    })
  while (!isOver) {
    await catchUp(db, storeId)
    const events = await db.rows<Carried>(sql`
      select events.id, events.event, events.body, sequence
      from event_numbers
      join events on events.store_id = event_numbers.store_id and events.id = event_numbers.event_uuid
      where event_numbers.store_id = ${storeId}
        and sequence > ${after + carried}
      order by sequence
      limit 100`)
    for (const event of events) {
      const { outcome, why } = await forward(event)
      const words = why ? [`It ${why.says}.`, `  ${why.advice}`] : []
      const told = { event: event.event, body: JSON.parse(event.body), outcome, ...(why ? { why } : {}) }
      say(told, [`${event.event} → ${outcome}`, ...words].join('\n'))
      carried++
    }
    await sleep(everyMs)
  }
  return carried
}

/** One line at once: the command itself goes on. */
function say(json: object, text: string): void {
  print(process.argv.includes('--json'), json, text)
}
