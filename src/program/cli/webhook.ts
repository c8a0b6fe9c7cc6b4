// Webhooks during development: forwards events to a local address and emits sample events.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Database } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { buildSequenceBounds, type LogBounds } from '../../tenancy/events/bounds.ts'
import { emit } from '../../tenancy/events/emit.ts'
import { eventTypes, declaredEvents } from '../../developer/webhooks/events.ts'
import { numberEvents } from '../../tenancy/events/number.ts'
import { newSecretText } from '../../developer/webhooks/secrets.ts'
import { channel, eventChannel } from '../../developer/webhooks/delivery/worker.ts'
import { findSecretKey } from '../../platform/process/secretkey.ts'
import { vault } from '../../kit/values/secrets.ts'
import { print, type CommandActions } from './output.ts'
import { eventForwarder, examineCommand, requireEventType, requireHttpUrl, type ForwardedEvent } from './receiver.ts'
import { requireStore, type CommandSession } from './session.ts'

export function webhookCommands(program: Command, { irreversible, write }: CommandActions): void {
  examineCommand(program)
  program
    .command('trigger <event>')
    .description(`Emit an event with sample data (${eventTypes.join(', ')})`)
    .requiredOption('--store <id>', 'ID of the store whose webhooks receive it')
    .action(
      write(async (session, { store: storeId }, event) => {
        const type = requireEventType('event', event!)
        const store = await requireStore(session, storeId!)
        const { subjectId, payload } = declaredEvents[type].sample
        await session.db.transaction(async (tx) => {
          emit(tx, store, type, subjectId, payload)
          tx.later(sql`select pg_notify(${channel}, ''), pg_notify(${eventChannel}, ${store.id})`)
        })
        return { json: { event: type, event_id: subjectId }, text: `Emitted ${type} for ${subjectId}` }
      }),
    )

  program
    .command('listen')
    .description("Forward a store's events to a local URL, signed, until Ctrl-C")
    .requiredOption('--store <id>', 'ID of the store')
    .requiredOption('--forward-to <url>', 'URL of the receiver, e.g. http://localhost:3000/hooks')
    .option('--secret <secret>', "signing secret (default: the store's own, the same at each start)")
    .action(
      irreversible(
        'calls a receiver until Ctrl-C',
        async (session, { store: storeId, forwardTo, secret: ownSecret }) => {
          const url = requireHttpUrl('forward_to', forwardTo!)
          const store = await requireStore(session, storeId!)
          const secret = ownSecret ?? (await listenSecret(session, store.id))
          const after = await newestSequence(session.db, store.id)
          printLine({ secret }, `Forwarding the events of ${store.name} to ${forwardTo}, signed with ${secret}`)
          const count = await forwardEvents(session.db, store.id, { after, forward: eventForwarder(url, secret) })
          return { json: { carried: count }, text: `Forwarded ${count} events` }
        },
      ),
    )
}

/** Stays the same, so that a receiver keeps working when the command starts again. */
async function listenSecret({ config }: CommandSession, storeId: string): Promise<string> {
  const key = config.SECRET_KEY ?? (await findSecretKey(config.DATA_DIR))
  return key ? vault(key).sign(storeId, 'listen') : newSecretText()
}

const pollMs = 300

/** Returns the sequence of the latest event. */
async function newestSequence(db: Database, storeId: string): Promise<number> {
  await numberAllEvents(db, storeId)
  const log = await db.one<LogBounds>(buildSequenceBounds(storeId))
  return log!.newest
}

async function numberAllEvents(db: Database, storeId: string): Promise<void> {
  while (await db.transaction((tx) => numberEvents(tx, [storeId])));
}

type ForwardOptions = { after: number; forward: ReturnType<typeof eventForwarder> }

async function forwardEvents(db: Database, storeId: string, { after, forward }: ForwardOptions): Promise<number> {
  let isOver = false
  let count = 0
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      isOver = true
    })
  while (!isOver) {
    await numberAllEvents(db, storeId)
    const events = await db.rows<ForwardedEvent>(sql`
      select events.id, events.event, events.body, sequence
      from event_numbers
      join events on events.store_id = event_numbers.store_id and events.id = event_numbers.event_uuid
      where event_numbers.store_id = ${storeId}
        and sequence > ${after + count}
      order by sequence
      limit 100`)
    for (const event of events) {
      const { outcome, why } = await forward(event)
      const words = why ? [`It ${why.says}.`, `  ${why.advice}`] : []
      const line = { event: event.event, body: JSON.parse(event.body), outcome, ...(why ? { why } : {}) }
      printLine(line, [`${event.event} → ${outcome}`, ...words].join('\n'))
      count++
    }
    await sleep(pollMs)
  }
  return count
}

/** Prints at once, while the command goes on. */
function printLine(json: object, text: string): void {
  print(process.argv.includes('--json'), json, text)
}
