// Emits sample events during the development of webhook receivers.
import type { Command } from 'commander'
import { sql } from '../../kit/database/sql.ts'
import { emit } from '../../tenancy/events/emit.ts'
import { requireStore } from '../../tenancy/stores/store.ts'
import { channel, eventChannel } from '../../developer/webhooks/delivery/worker.ts'
import { declaredEvents, eventTypes, requireEventType } from '../../developer/webhooks/events.ts'
import type { CommandActions } from './output.ts'

export function triggerCommand(program: Command, { write }: CommandActions): void {
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
}
