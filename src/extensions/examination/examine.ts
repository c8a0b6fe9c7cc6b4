// Sends a receiver requests that it must accept or refuse, and reports what its code gets wrong.
import { buildFinding, type Finding, type FindingCode } from './findings.ts'
import { misreadings } from './misreadings.ts'
import { probes, signProbe, type Probe, type ProbeName, type Fixture, type ForgedRequest } from './probes.ts'
import type { SignedHeaders } from '../../platform/outbound/signature.ts'

/** `error`, and `reason` in words: why there was no answer. `date`: the time by the receiver's clock. */
export type ProbeReply = {
  status: number | null
  error: string | null
  reason?: string
  durationMs: number
  date?: string | undefined
}

export type PostProbe = (shot: ForgedRequest, timeoutMs: number) => Promise<ProbeReply>

type ProbeResult = {
  probe: ProbeName
  expected: 'accepted' | 'refused'
  status: number | null
  error: string | null
  duration_ms: number
  passed: boolean
}

/** incomplete: nothing was wrong, but there was no time for all of it. */
export const verdicts = ['right', 'wrong', 'unreachable', 'incomplete'] as const
type ExaminationVerdict = (typeof verdicts)[number]

export type Examination = { verdict: ExaminationVerdict; findings: Finding[]; probes: ProbeResult[] }

export type ProbeTimeouts = { timeoutMs: number; slowMs: number; wholeMs: number }

/** A delivery has 15 seconds; an examination as a whole takes no longer than a caller waits for it. */
const usual: ProbeTimeouts = { timeoutMs: 15_000, slowMs: 5000, wholeMs: 25_000 }

export async function examine(scene: Fixture, post: PostProbe, patience: ProbeTimeouts = usual): Promise<Examination> {
  const startedAt = performance.now()
  const isOver = () => performance.now() - startedAt > patience.wholeMs
  const leftOfAll = () => patience.wholeMs - (performance.now() - startedAt)
  const remainingMs = () => Math.ceil(Math.max(1, Math.min(patience.timeoutMs, leftOfAll())))
  const replies = new Map<ProbeName, ProbeReply>()
  let isComplete = true
  for (const probe of probes) {
    const shots = probe.shots(scene)
    if (shots.length === 0) continue
    if (isOver() && replies.size > 0) {
      isComplete = false
      break
    }
    replies.set(probe.name, await sendShot(shots, (shot) => post(shot, remainingMs())))
    if (probe.name === 'valid' && !isTaken(replies.get('valid'))) break
  }
  const valid = replies.get('valid')!
  const findings = isTaken(valid)
    ? diagnose(replies, patience)
    : [await explain(valid, toSignedHeaders(signProbe(scene)), scene, (shot) => post(shot, remainingMs()), patience)]
  return {
    verdict: toVerdict(findings, isComplete),
    findings,
    probes: probes.flatMap((probe) => toProbeResults(probe, replies.get(probe.name))),
  }
}

function toVerdict([first]: Finding[], isComplete: boolean): ExaminationVerdict {
  if (!first) return isComplete ? 'right' : 'incomplete'
  return first.code === 'unreachable' ? 'unreachable' : 'wrong'
}

/** The last reply, or the first failure. */
async function sendShot(
  shots: ForgedRequest[],
  send: (shot: ForgedRequest) => Promise<ProbeReply>,
): Promise<ProbeReply> {
  let reply!: ProbeReply
  for (const shot of shots) {
    reply = await send(shot)
    if (!isTaken(reply)) break
  }
  return reply
}

function isTaken(reply: ProbeReply | undefined): boolean {
  return reply?.status != null && reply.status >= 200 && reply.status < 300
}

function toProbeResults({ name, isTaken: shallBeTaken }: Probe, reply: ProbeReply | undefined): ProbeResult[] {
  if (!reply) return []
  const { status, error, durationMs } = reply
  const isPassed = shallBeTaken ? isTaken(reply) : !isTaken(reply) && status !== null && status < 500
  const expectation = shallBeTaken ? 'accepted' : 'refused'
  return [{ probe: name, expected: expectation, status, error, duration_ms: durationMs, passed: isPassed }]
}

// The finding for each valid request that the receiver refuses.
// prettier-ignore
const refusals: [ProbeName, FindingCode][] = [
  ['spelling',  'reserialised'],
  ['duplicate', 'refuses_duplicate'],
  ['reordered', 'refuses_order'],
  ['new_event', 'refuses_new_event'],
  ['new_field', 'refuses_new_field'],
  ['large',     'refuses_large'],
]

// The finding for each invalid request that a receiver accepts although it checks signatures.
// prettier-ignore
const mistakes: [ProbeName, FindingCode][] = [
  ['unsigned', 'optional'],
  ['cut',      'partial'],
  ['changed',  'body_uncovered'],
  ['old',      'old_taken'],
  ['ahead',    'ahead_taken'],
]

function diagnose(replies: Map<ProbeName, ProbeReply>, { slowMs, timeoutMs }: ProbeTimeouts): Finding[] {
  const codes: [FindingCode, ProbeReply][] = []
  const forgedReply = replies.get('forged')
  if (isTaken(forgedReply)) codes.push([isTaken(replies.get('unsigned')) ? 'unchecked' : 'only_there', forgedReply!])
  else {
    for (const [name, code] of mistakes) if (isTaken(replies.get(name))) codes.push([code, replies.get(name)!])
    const crash = probes.map(({ name, isTaken }) => (isTaken ? undefined : replies.get(name))).find(isFault)
    if (crash) codes.push(['crashes', crash])
  }
  for (const [name, code] of refusals) {
    const reply = replies.get(name)
    if (reply && !isTaken(reply)) codes.push([code, reply])
  }
  const { durationMs } = replies.get('valid')!
  if (durationMs > slowMs) codes.push(['slow', replies.get('valid')!])
  return codes.map(([code, reply]) => buildFinding(code, toFindingValues(reply, timeoutMs)))
}

function isFault(reply: ProbeReply | undefined): boolean {
  return reply !== undefined && (reply.status === null || reply.status >= 500)
}

function toFindingValues(
  { status, error, durationMs }: ProbeReply,
  timeoutMs: number,
): Record<string, string | number> {
  const inSeconds = (ms: number) => Math.round(ms / 100) / 10
  return { status: status ?? error ?? '', duration: inSeconds(durationMs), limit: inSeconds(timeoutMs) }
}

const maxOffSeconds = 300

/** The reason why a receiver refuses a correct signature: by its answer, and by what it accepts instead. */
export async function explain(
  reply: ProbeReply,
  right: SignedHeaders,
  { secret, now }: Pick<Fixture, 'secret' | 'now'>,
  send: (shot: ForgedRequest) => Promise<ProbeReply>,
  { timeoutMs }: Pick<ProbeTimeouts, 'timeoutMs'> = usual,
): Promise<Finding> {
  const { status, error, reason = '', date } = reply
  const say = (code: FindingCode, more = {}) => buildFinding(code, { ...toFindingValues(reply, timeoutMs), ...more })
  if (status === null) return error === 'TIMEOUT' ? say('silent') : say('unreachable', { reason })
  if (status >= 300 && status < 400) return say('redirects')
  if (status === 404 || status === 405 || status === 410) return say('absent')
  const off = date ? Math.round((Date.parse(date) - now.getTime()) / 1000) : 0
  if (Math.abs(off) > maxOffSeconds) return say('clock_off', { off })
  for (const { finding: code, headers } of misreadings) {
    const misread = headers(right, secret)
    if (
      misread &&
      isTaken(await send({ headers: { 'content-type': 'application/json', ...misread }, body: right.body }))
    )
      return say(code)
  }
  return say(status >= 500 ? 'fails' : 'refuses_valid')
}

function toSignedHeaders({ headers, body }: ForgedRequest): SignedHeaders {
  return {
    id: headers['X-Webhook-Id']!,
    event: headers['X-Webhook-Event']!,
    timestamp: Number(headers['X-Webhook-Timestamp']),
    body,
    sequence: null,
  }
}
