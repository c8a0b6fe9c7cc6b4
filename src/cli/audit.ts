import type { Command } from 'commander'
import { verifyAudit, type ChainCheck } from '../tenancy/audit/verify.ts'
import { listSecurityEvents, type SecurityEvent } from '../tenancy/audit/operations.ts'
import type { CommandActions } from './output.ts'
import { limitIn } from './options.ts'
import { requireStore } from './session.ts'

const maxEvents = 1000

export function auditCommands(program: Command, { read }: CommandActions): void {
  verifyCommand(program, read)
  program
    .command('security-events')
    .description('Sign-ins, failures, passwords, keys, roles, grants and secrets, the newest first; kept 365 days')
    .option('--store <id>', 'what concerns one store')
    .option('--subject <id>', 'what was done to one user, key, client or webhook')
    .option('--limit <count>', 'how many at most', '50')
    .action(
      read(async ({ db }, { store, subject, limit }) => {
        const events = await listSecurityEvents(db, { store, subject, limit: limitIn(limit!, maxEvents) })
        return { json: { events }, text: events.map(lineOf).join('\n') || 'Nothing has happened yet' }
      }),
    )
}

function verifyCommand(program: Command, read: CommandActions['read']): void {
  program
    .command('audit')
    .description('The log of every write')
    .command('verify')
    .description('Look whether it is as it was written: no entry changed, taken out, put in or moved')
    .option('--store <id>', 'of one store')
    .action(
      read(async (session, { store }) => {
        if (store !== undefined) await requireStore(session, store)
        const stores = await verifyAudit(session.db, store)
        const failed = stores.some(({ broken }) => broken !== null)
        return {
          json: { ok: !failed, stores },
          text: stores.map(lineOfVerdict).join('\n') || 'Nothing is written yet',
          failed,
        }
      }),
    )
}

function lineOfVerdict({ store_id, rows, sequence, hash, broken }: ChainCheck): string {
  if (broken) return `wrong  ${store_id}  entry ${broken.sequence}: ${broken.reason}`
  return `ok     ${store_id}  ${rows} entries; the last is ${sequence}, ${hash}`
}

/** Leaves out the user agent, which may contain anything; --json prints it. */
function lineOf({ created_at, event, actor, store_id, subject, details }: SecurityEvent): string {
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
