// The tables of kit, platform and tenancy.
import { sql } from '../../kit/database/sql.ts'
import { buildResponseSealContext as answerContext } from '../../kit/declare/idempotency.ts'
import { withoutPersonal } from '../../kit/declare/row.ts'
import { eraseAudit } from '../audit/erase.ts'
import { mail } from '../emails/mail.ts'
import { orderBump, orderBumps } from '../stores/orderbump.ts'
import { shippingRate, shippingRates } from '../stores/shippingrate.ts'
import { buildEnquiryMatch, isMailTo } from './mails.ts'
import { buildEmailMatch } from './person.ts'
import { undoSetting } from './setting.ts'
import { table, type Erase } from './table.ts'

const installation = { owner: null, placement: 'local' } as const

export const migrations = table('migrations', installation)
export const jobRuns = table('job_runs', installation)
export const canary = table('canary', installation)
export const writeProbes = table('write_probes', installation)
export const signingKeys = table('signing_keys', installation)
export const plans = table('plans', { owner: null, placement: 'reference' })

export const requests = table('requests', {
  audit: 'a log of its own',
  stays: 'the log of an installation, kept for days',
})

/** Answers are kept sealed for a day and cannot be matched to a person without the request. */
const eraseAnswers: Erase = (tx, storeId, { id, orderIds, draftOrderIds, returnIds }) =>
  tx.later(sql`
    update idempotency_keys
    set body = null
    where store_id = ${storeId}
      and records && ${[id, ...orderIds, ...draftOrderIds, ...returnIds]}::uuid[]`)

export const idempotencyKeys = table('idempotency_keys', {
  audit: 'answers',
  unforked: 'answers of keys',
  erasure: eraseAnswers,
  sealed: {
    columns: ['body'],
    context: (row) => answerContext(row.store_id!, row.credential!, row.key!),
    blank: 'null',
    without: { body: 'null' },
  },
})

const eraseOutbox: Erase = (tx, storeId, person) => {
  const at = sql`created_at`
  tx.later(sql`
    delete from outbox
    where store_id = ${storeId}
      and (customer_id = ${person.id}
        or ${buildEmailMatch(person, sql`recipient`, at)}
        or ${buildEmailMatch(person, sql`reply_to`, at)})`)
}

export const outbox = table('outbox', {
  placement: 'local',
  audit: 'mail where no server takes it',
  stays: 'emails that the operator of the installation reads',
  erasure: eraseOutbox,
})

/** Cancels emails to their addresses and removes the addresses of earlier ones. */
const eraseMails: Erase = (tx, storeId, person) => {
  tx.later(sql`
    update mails
    set ${withoutPersonal(mail.fields)},
        status = case status when 'queued' then 'suppressed' else status end,
        error = case when status = 'queued' or error is not null then 'The person was erased' end,
        next_attempt_at = null
    where store_id = ${storeId}
      and ${isMailTo(person)}`)
  // A server's answer may repeat the sender's data.
  tx.later(sql`
    update mails
    set enquiry = null,
        error = case when error is not null then 'The person was erased' end
    where store_id = ${storeId}
      and ${buildEnquiryMatch(person)}`)
}

export const mails = table(mail, {
  audit: 'what follows from writes',
  unforked: 'email to people',
  erasure: eraseMails,
})

export const mailRefusals = table('mail_refusals', { audit: 'hashes of addresses', unforked: 'hashes of addresses' })

const auditLog = { audit: 'the log itself', unforked: 'the fork has its own audit log' }

export const auditEntries = table('audit_log', {
  ...auditLog,
  erasure: (tx, storeId, { id, commentIds }) => eraseAudit(tx, storeId, [id, ...commentIds]),
})
export const auditChains = table('audit_chains', auditLog)
export const auditRecords = table('audit_records', auditLog)
export const auditSeals = table('audit_seals', auditLog)
export const auditUnsealed = table('audit_unsealed', auditLog)

export const securityEvents = table('security_events', {
  placement: 'local',
  audit: 'a log of its own',
  unforked: 'what staff and keys did',
})

const eventLog = { audit: 'what follows from events', unforked: 'the fork has its own event log' }

export const eventLogs = table('event_logs', eventLog)
export const eventNumbers = table('event_numbers', eventLog)
export const unnumberedEvents = table('unnumbered_events', eventLog)
export const agentOrders = table('agent_orders', {
  audit: 'what follows from checkouts and events',
  unforked: 'agents of the original',
})

export const storeSlugs = table('store_slugs', { placement: 'local', audit: 'what stores.slug was' })
export const storeCounters = table('store_counters', {
  audit: 'sums of rows',
  // A fork does not have the rows that these count.
  replaced: () => ({ webhooks: '0', api_keys: '0', staff: '0' }),
})
export const storeVersions = table('store_versions', {
  audit: 'moves with whatever else is written',
  stays: 'they prove answers that the installation has in memory',
})

export const orderBumpTable = table(orderBump, { audit: { noun: 'order_bump', undo: undoSetting(orderBumps) } })
export const shippingRateTable = table(shippingRate, {
  audit: { noun: 'shipping_rate', undo: undoSetting(shippingRates) },
})
