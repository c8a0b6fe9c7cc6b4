import { table } from '../tables/table.ts'
import { eraseAudit } from './erase.ts'

const auditLog = { audit: 'the log itself', unforked: 'the fork has its own audit log' }

export const auditEntries = table('audit_log', {
  ...auditLog,
  erasure: (tx, storeId, { ids, commentIds }) => eraseAudit(tx, storeId, [...ids, ...commentIds]),
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
