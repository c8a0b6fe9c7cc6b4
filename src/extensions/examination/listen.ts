// Forwards the events of a store to a receiver on the developer's machine.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { requireHttpUrl } from '../../kit/values/httpurl.ts'
import { vault } from '../../kit/values/secrets.ts'
import { findSecretKey } from '../../platform/process/secretkey.ts'
import { print } from '../../platform/process/terminal.ts'
import { buildSequenceBounds, type LogBounds } from '../../tenancy/events/bounds.ts'
import { numberEvents } from '../../tenancy/events/number.ts'
import type { ExtensionSession } from '../../tenancy/extensions/extension.ts'
import { requireStore } from '../../tenancy/stores/store.ts'
import { newSecretText } from '../../developer/webhooks/secrets.ts'
import { eventForwarder, type ForwardedEvent } from './receiver.ts'

/** The configuration that it reads. */
export type ListenConfig = { SECRET_KEY: string | null; DATA_DIR: string }

type ListenSession = ExtensionSession<ListenConfig>

type ListenOptions = { forwardTo: string; secret: string | undefined }

export async function listen(session: ListenSession, storeId: string, { forwardTo, secret: ownSecret }: ListenOptions) {
  const url = requireHttpUrl('forward_to', forwardTo)
  const store = await requireStore(session, storeId)
  const secret = ownSecret ?? (await listenSecret(session, store.id))
  const after = await newestSequence(session.db, store.id)
  printLine({ secret }, `Forwarding the events of ${store.name} to ${forwardTo}, signed with ${secret}`)
  const count = await forwardEvents(session.db, store.id, { after, forward: eventForwarder(url, secret) })
  return { json: { carried: count }, text: `Forwarded ${count} events` }
}

/** Stays the same, so that a receiver keeps working when the command starts again. */
async function listenSecret({ config }: ListenSession, storeId: string): Promise<string> {
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
