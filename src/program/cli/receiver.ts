// Calls and examines webhook receivers on the developer's machine, and explains rejected signatures.
import type { Command } from 'commander'
import { invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { publicId } from '../../kit/values/ids.ts'
import { eventTypes, type EventType } from '../../developer/webhooks/events.ts'
import { signedHeaders } from '../../developer/webhooks/delivery/signature.ts'
import {
  examine,
  explain,
  type Examination,
  type PostProbe,
  type ProbeReply,
} from '../../developer/webhooks/examination/examine.ts'
import type { Finding } from '../../developer/webhooks/examination/findings.ts'
import type { ForgedRequest } from '../../developer/webhooks/examination/probes.ts'
import { runCommand } from './output.ts'

export function examineCommand(program: Command): void {
  program
    .command('webhook')
    .description('Test webhook receivers')
    .command('examine <url>')
    .description('Send a receiver valid and invalid test events, and report what its code gets wrong')
    .requiredOption('--secret <secret>', "the webhook's signing secret")
    .option('--events <types>', 'event types, separated by commas', 'order.created,order.updated')
    .action((url: string, { secret, events }: { secret: string; events: string }) =>
      runCommand(program, 'calls a receiver', async () => {
        const types = events.split(',').map((type) => requireEventType('events', type))
        const scene = { secret, events: types, store: sampleStore, now: new Date() }
        const examination = await examine(scene, postTo(requireHttpUrl('url', url)))
        return { json: examination, text: formatExamination(examination), failed: examination.verdict !== 'right' }
      }),
    )
}

const sampleStore = { id: 'QN-7H3KM2PX', name: 'Corner shop', timezone: 'UTC' }

export function requireEventType(option: string, event: string): EventType {
  const type = eventTypes.find((each) => each === event)
  if (!type) throw invalid(fault(option, generalFaults.not_one_of, { choices: eventTypes.join(', ') }))
  return type
}

export function requireHttpUrl(option: string, url: string): string {
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url
  throw invalid(fault(option, generalFaults.no_web_address))
}

function formatExamination({ verdict, findings, probes }: Examination): string {
  const lines = findings.map(({ says, advice }) => `It ${says}.\n  ${advice}`)
  const passedCount = probes.filter((probe) => probe.passed).length
  return [...lines, `${verdict}: ${passedCount} of ${probes.length} probes passed`].join('\n')
}

/** Calls any address, private ones too: the call leaves from the developer's own machine. */
function postTo(url: string): PostProbe {
  return async ({ headers, body }, timeoutMs) => {
    const startedAt = performance.now()
    const signal = AbortSignal.timeout(timeoutMs)
    const durationMs = () => Math.round(performance.now() - startedAt)
    try {
      const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
      await answer.body?.cancel()
      const date = answer.headers.get('date') ?? undefined
      return { status: answer.status, error: null, durationMs: durationMs(), date }
    } catch (error) {
      const reason = ((error as Error).cause as Error | undefined)?.message || (error as Error).message
      return { status: null, error: signal.aborted ? 'TIMEOUT' : 'FAILED', reason, durationMs: durationMs() }
    }
  }
}

export type ForwardedEvent = { id: string; event: EventType; body: string; sequence: number }

const timeoutMs = 15_000
/** Statuses with which receivers reject a signature. */
const rejectionStatuses = new Set([400, 401, 403, 422])

/** Explains the first of consecutive rejections. */
export function eventForwarder(url: string, secret: string) {
  const post = postTo(url)
  let isExplained = false
  return async ({ id, ...event }: ForwardedEvent): Promise<{ outcome: number | string; why: Finding | null }> => {
    const delivery = { ...event, id: publicId('dlv', id), timestamp: Math.floor(Date.now() / 1000) }
    const send: (shot: ForgedRequest) => Promise<ProbeReply> = (shot) => post(shot, timeoutMs)
    const reply = await send({ headers: signedHeaders(delivery, secret, null), body: event.body })
    const isRefused = rejectionStatuses.has(reply.status ?? 0)
    const why = isRefused && !isExplained ? await explain(reply, delivery, { secret, now: new Date() }, send) : null
    isExplained = isRefused
    return { outcome: reply.status ?? reply.reason ?? '', why }
  }
}
