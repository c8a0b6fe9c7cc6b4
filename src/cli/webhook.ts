// Webhooks while one develops: events carried to a local address, and sample events.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { invalid } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import { firstUuidAt, publicId } from '../kit/values/ids.ts'
import { sql } from '../kit/database/sql.ts'
import { emit, eventTypes, type EventType } from '../events/emit.ts'
import { listenUntil } from '../events/listen.ts'
import { samples } from '../webhooks/samples.ts'
import { newSecretText } from '../webhooks/secrets.ts'
import { signedHeaders } from '../webhooks/delivery/signature.ts'
import { channel } from '../webhooks/delivery/worker.ts'
import { print, type Act } from './output.ts'
import { storeWith, type Session } from './session.ts'

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
        await session.db.rows(sql`select pg_notify(${channel}, '')`)
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
        await keepListening(session, store.id)
        say({ secret }, `Carrying the events of ${store.name} to ${forwardTo}, signed with ${secret}`)
        const carried = await carry(session, store.id, forwardTo!, secret)
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
// Events are not committed in the order of their ids: those of the last seconds are looked at again.
const lookBackMs = 10_000
// How long events are still written after a listener was killed.
const listenMs = 10_000

/** Until listenMs from now. */
function keepListening({ db }: Session, storeId: string): Promise<void> {
  return listenUntil(db, storeId, new Date(db.clock.now().getTime() + listenMs))
}

async function carry(session: Session, storeId: string, url: string, secret: string): Promise<number> {
  const { db } = session
  const known = new Map<string, number>()
  const startedAt = db.clock.now().getTime()
  let isOver = false
  let carried = 0
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      isOver = true
    })
  while (!isOver) {
    await keepListening(session, storeId)
    const since = new Date(Math.max(startedAt, db.clock.now().getTime() - lookBackMs))
    const events = await db.rows<{ id: string; event: EventType; body: string }>(sql`
      select id, event, body
      from events
      where store_id = ${storeId}
        and id >= ${firstUuidAt(since)}
        and webhook_id is null
      order by id
      limit 500`)
    for (const [id, at] of known) if (at < since.getTime()) known.delete(id)
    for (const event of events.filter(({ id }) => !known.has(id))) {
      known.set(event.id, db.clock.now().getTime())
      await forward(event, url, secret)
      carried++
    }
    await sleep(everyMs)
  }
  return carried
}

type Carried = { id: string; event: string; body: string }

async function forward({ id, event, body }: Carried, url: string, secret: string): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = signedHeaders({ id: publicId('dlv', id), event, body, timestamp }, secret, null)
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
