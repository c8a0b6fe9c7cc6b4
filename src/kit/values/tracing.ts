// Observation points for OpenTelemetry (platform/process/telemetry.ts). Without a listener, a statement or a job
// costs one extra comparison.
import { tracingChannel, type TracingChannel } from 'node:diagnostics_channel'

export const statements: TracingChannel<unknown, { text: string }> = tracingChannel('stoa.statement')
export const jobs: TracingChannel<unknown, { name: string }> = tracingChannel('stoa.job')

export function trace<C extends object, T>(
  channel: TracingChannel<unknown, C>,
  subject: C,
  run: () => Promise<T>,
): Promise<T> {
  return channel.start.hasSubscribers ? channel.tracePromise(run, { ...subject }) : run()
}
