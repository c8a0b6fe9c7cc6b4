import { Counter, Gauge } from 'prom-client'
import { metrics } from '../../platform/process/metrics.ts'

const registers = [metrics]

export const mailAttempts = new Counter({
  name: 'mail_attempts_total',
  help: 'Attempts to send an email, by kind and outcome',
  labelNames: ['kind', 'outcome'],
  registers,
})
export const mailsInFlight = new Gauge({ name: 'mail_inflight', help: 'Emails being sent by this process', registers })
