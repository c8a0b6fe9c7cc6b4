import { table } from '../tables/table.ts'

const eventLog = { audit: 'what follows from events', unforked: 'the fork has its own event log' }

export const eventLogs = table('event_logs', eventLog)
export const eventNumbers = table('event_numbers', eventLog)
export const unnumberedEvents = table('unnumbered_events', eventLog)

export const agentOrders = table('agent_orders', {
  audit: 'what follows from checkouts and events',
  unforked: 'agents of the original',
})
