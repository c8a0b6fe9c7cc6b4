import type { Command } from 'commander'
import { verifyAudit, type ChainCheck } from '../../tenancy/audit/verify.ts'
import { listSecurityEvents, type SecurityEvent } from '../../tenancy/audit/operations.ts'
import type { CommandActions } from './output.ts'
import { limitIn } from './options.ts'
import { requireStore } from '../../tenancy/stores/store.ts'

const maxEvents = 1000

export function auditCommands(program: Command, { read }: CommandActions): void {
  verifyCommand(program, read)
  program
    .command('security-events')
    .description('List sign-ins and changes of passwords, keys, roles, grants and secrets, newest first')
    .option('--store <id>', 'only events of this store')
    .option('--subject <id>', 'only events of this user, key, client or webhook')
    .option('--limit <count>', 'maximum number of events', '50')
    .action(
      read(async ({ db }, { store, subject, limit }) => {
        const events = await listSecurityEvents(db, { store, subject, limit: limitIn(limit!, maxEvents) })
        return { json: { events }, text: events.map(formatSecurityEvent).join('\n') || 'No events yet' }
      }),
    )
}

function verifyCommand(program: Command, read: CommandActions['read']): void {
  program
    .command('audit')
    .description('Check the audit log')
    .command('verify')
    .description('Verify that no audit log entry was modified, removed, inserted or reordered')
    .option('--store <id>', 'only this store')
    .action(
      read(async (session, { store }) => {
        if (store !== undefined) await requireStore(session, store)
        const stores = await verifyAudit(session.db, store)
        const hasFailed = stores.some(({ broken }) => broken !== null)
        return {
          json: { ok: !hasFailed, stores },
          text: stores.map(lineOfVerdict).join('\n') || 'No entries yet',
          failed: hasFailed,
        }
      }),
    )
}

function lineOfVerdict({ store_id, rows, sequence, hash, broken }: ChainCheck): string {
  if (broken) return `wrong  ${store_id}  entry ${broken.sequence}: ${broken.reason}`
  return `ok     ${store_id}  ${rows} entries; last: ${sequence}, ${hash}`
}

/** Leaves out the user agent, which may contain anything; --json prints it. */
function formatSecurityEvent({ created_at, event, actor, store_id, subject, details }: SecurityEvent): string {
  const parts = [
    created_at.toISOString(),
    event.padEnd(22),
    [actor.kind, actor.id, actor.ip].filter(Boolean).join(' '),
    store_id,
    subject,
    details && JSON.stringify(details),
  ]
  return parts.filter(Boolean).join('  ')
}
