import type { Command } from 'commander'
import { verifyAudit, type Verdict } from '../tenancy/audit/verify.ts'
import { listSecurityEvents, type SecurityEvent } from '../tenancy/audit/operations.ts'
import { invalid } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import type { Actions } from './output.ts'
import { storeWith } from './session.ts'

const most = 1000

export function auditCommands(program: Command, { look }: Actions): void {
  verifyCommand(program, look)
  program
    .command('security-events')
    .description('Sign-ins, failures, passwords, keys, roles, grants and secrets, the newest first; kept 365 days')
    .option('--store <id>', 'what concerns one store')
    .option('--subject <id>', 'what was done to one user, key, client or webhook')
    .option('--limit <count>', 'how many at most', '50')
    .action(
      look(async ({ db }, { store, subject, limit }) => {
        const count = Number(limit)
        if (!(Number.isInteger(count) && count >= 1 && count <= most)) {
          throw invalid(fault('limit', 'no_number_between', { least: 1, most }))
        }
        const events = await listSecurityEvents(db, { store, subject, limit: count })
        return { json: { events }, text: events.map(lineOf).join('\n') || 'Nothing has happened yet' }
      }),
    )
}

function verifyCommand(program: Command, look: Actions['look']): void {
  program
    .command('audit')
    .description('The log of every write')
    .command('verify')
    .description('Look whether it is as it was written: no entry changed, taken out, put in or moved')
    .option('--store <id>', 'of one store')
    .action(
      look(async (session, { store }) => {
        if (store !== undefined) await storeWith(session, store)
        const stores = await verifyAudit(session.db, store)
        const failed = stores.some(({ broken }) => broken !== null)
        return {
          json: { ok: !failed, stores },
          text: stores.map(verdictOf).join('\n') || 'Nothing is written yet',
          failed,
        }
      }),
    )
}

function verdictOf({ store_id, rows, sequence, hash, broken }: Verdict): string {
  if (broken) return `wrong  ${store_id}  entry ${broken.sequence}: ${broken.reason}`
  return `ok     ${store_id}  ${rows} entries; the last is ${sequence}, ${hash}`
}

/** What a browser says of itself may hold anything: it is shown with --json only. */
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
