import { Counter, Gauge } from 'prom-client'
import { metrics } from '../../platform/process/metrics.ts'

const registers = [metrics]

export const mailAttempts = new Counter({
  name: 'mail_attempts_total',
  help: 'Attempts to send a mail, by kind and what became of it',
  labelNames: ['kind', 'outcome'],
  registers,
})
export const mailsInFlight = new Gauge({ name: 'mail_inflight', help: 'Mails under way in this process', registers })
