// Calls and examines webhook receivers on the developer's machine, and explains rejected signatures.
import { requireHttpUrl } from '../../kit/values/httpurl.ts'
import { publicId } from '../../kit/values/ids.ts'
import { requireEventType, type EventType } from '../../developer/webhooks/events.ts'
import { signedHeaders } from '../../platform/outbound/signature.ts'
import { examine, explain, type Examination, type PostProbe, type ProbeReply } from './examine.ts'
import type { Finding } from './findings.ts'
import type { ForgedRequest } from './probes.ts'

const sampleStore = { id: 'QN-7H3KM2PX', name: 'Corner shop', timezone: 'UTC' }

export async function examineLocal(url: string, { secret, events }: { secret: string; events: string }) {
  const types = events.split(',').map((type) => requireEventType('events', type))
  const scene = { secret, events: types, store: sampleStore, now: new Date() }
  const examination = await examine(scene, postTo(requireHttpUrl('url', url)))
  return { json: examination, text: formatExamination(examination), failed: examination.verdict !== 'right' }
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
