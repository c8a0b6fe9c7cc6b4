// Webhooks while one develops: events carried to a local address, and sample events.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { invalid } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import { publicId } from '../kit/values/ids.ts'
import type { Database } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'
import { boundsOf, type Bounds } from '../events/bounds.ts'
import { emit, eventTypes, type EventType } from '../events/emit.ts'
import { numberEvents } from '../events/number.ts'
import { samples } from '../webhooks/samples.ts'
import { newSecretText } from '../webhooks/secrets.ts'
import { signedHeaders } from '../webhooks/delivery/signature.ts'
import { channel, eventChannel } from '../webhooks/delivery/worker.ts'
import { print, type Act } from './output.ts'
import { storeWith } from './session.ts'

export function webhookCommands(program: Command, act: Act): void {
  program
    .command('trigger <event>')
    .description(`Emit an event with invented content, as if it had happened (${eventTypes.join(', ')})`)
    .requiredOption('--store <id>', 'whose webhooks shall get it')
    .action(
      act(async (session, { store: storeId }, event) => {
        const type = knownEvent(event!)
        const store = await storeWith(session, storeId!)
        const { subjectId, payload } = samples[type]
        await session.db.transaction(async (tx) => emit(tx, store, type, subjectId, payload))
        await session.db.rows(sql`select pg_notify(${channel}, ''), pg_notify(${eventChannel}, ${store.id})`)
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
      act(async (session, { store: storeId, forwardTo, secret = newSecretText() }) => {
        if (!/^https?:$/.test(URL.parse(forwardTo!)?.protocol ?? '')) {
          throw invalid(fault('forward_to', 'no_web_address'))
        }
        const store = await storeWith(session, storeId!)
        const after = await endOfLog(session.db, store.id)
        say({ secret }, `Carrying the events of ${store.name} to ${forwardTo}, signed with ${secret}`)
        const carried = await carry(session.db, store.id, { after, url: forwardTo!, secret })
        return { json: { carried }, text: `${carried} events carried` }
      }),
    )
}

function knownEvent(event: string): EventType {
  const known = eventTypes.find((type) => type === event)
  if (!known) throw invalid(fault('event', 'not_one_of', { choices: eventTypes.join(', ') }))
  return known
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

type Carrying = { after: number; url: string; secret: string }

async function carry(db: Database, storeId: string, { after, url, secret }: Carrying): Promise<number> {
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
      await forward(event, url, secret)
      carried++
    }
    await sleep(everyMs)
  }
  return carried
}

type Carried = { id: string; event: EventType; body: string; sequence: number }

async function forward({ id, event, body, sequence }: Carried, url: string, secret: string): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = signedHeaders({ id: publicId('dlv', id), event, body, sequence, timestamp }, secret, null)
  const signal = AbortSignal.timeout(15_000)
  const outcome = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal }).then(
    (answer) => answer.status,
    (error: Error) => (error.cause as Error | undefined)?.message || error.message,
  )
  say({ event, body: JSON.parse(body), outcome }, `${event} → ${outcome}`)
}

/** One line at once: the command itself goes on. */
function say(json: object, text: string): void {
  print(process.argv.includes('--json'), json, text)
}
