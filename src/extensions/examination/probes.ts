// Requests that test a receiver's code. All of them are invented, and say so in X-Webhook-Test.
import { buildEventBody, type EventStore } from '../../tenancy/events/emit.ts'
import { type EventType, declaredEvents } from '../../developer/webhooks/events.ts'
import { newId, type Prefix } from '../../kit/values/ids.ts'
import { maxItems } from '../../commerce/orders/item.ts'
import { signedHeaders, type SignedHeaders } from '../../platform/outbound/signature.ts'
import { newSecretText } from '../../developer/webhooks/secrets.ts'

/** The store of the receiver, and its subscribed events. */
export type Fixture = { secret: string; events: readonly EventType[]; store: EventStore; now: Date }

export type ForgedRequest = { headers: Record<string, string>; body: string }

/** Its requests are sent one after the other; a correct receiver accepts all, or refuses the last. */
export type Probe = { name: ProbeName; isTaken: boolean; shots: (scene: Fixture) => ForgedRequest[] }

export type ProbeName = (typeof names)[number]
export const names = [
  'valid',
  'forged',
  'unsigned',
  'cut',
  'changed',
  'spelling',
  'old',
  'ahead',
  'duplicate',
  'reordered',
  'new_event',
  'new_field',
  'large',
] as const

/** Outside of the 300 seconds that the contract lets a timestamp be off. */
const offSeconds = 900
/** An order of as many lines as it may have makes an event of about 130 KB: many frameworks read 100 KB and no more. */
const longName = 'Canvas backpack '.repeat(8)

const signatures = ['X-Webhook-Signature', 'webhook-signature'] as const

// prettier-ignore
export const probes: readonly Probe[] = [
  { name: 'valid',     isTaken: true,  shots: (scene) => [signProbe(scene)] },
  { name: 'forged',    isTaken: false, shots: (scene) => [signProbe({ ...scene, secret: newSecretText() })] },
  { name: 'unsigned',  isTaken: false, shots: (scene) => [withSignatures(signProbe(scene), () => null)] },
  { name: 'cut',       isTaken: false,
    shots: (scene) => [withSignatures(signProbe(scene), (text) => text.slice(0, 16))] },
  { name: 'changed',   isTaken: false, shots: (scene) => [changedBody(signProbe(scene))] },
  { name: 'spelling',  isTaken: true,
    shots: (scene) => [signProbe(scene, { body: `{ ${sample(scene).slice(1)}\n` })] },
  { name: 'old',       isTaken: false,
    shots: (scene) => [signProbe(scene, { timestamp: seconds(scene) - offSeconds })] },
  { name: 'ahead',     isTaken: false,
    shots: (scene) => [signProbe(scene, { timestamp: seconds(scene) + offSeconds })] },
  { name: 'duplicate', isTaken: true,  shots: (scene) => sendTwice(signProbe(scene)) },
  { name: 'reordered', isTaken: true,  shots: reorderedEvents },
  { name: 'new_event', isTaken: true,  shots: (scene) => [signProbe(scene, newEvent(scene))] },
  { name: 'new_field', isTaken: true,  shots: (scene) => [signProbe(scene, { body: withField(sample(scene)) })] },
  { name: 'large',     isTaken: true,  shots: large },
]

/** Probes without a fault, unless `different` names one. */
export function signProbe(scene: Fixture, different: Partial<SignedHeaders> = {}): ForgedRequest {
  const right = {
    id: newId('dlv'),
    event: scene.events[0]!,
    body: sample(scene),
    timestamp: seconds(scene),
    sequence: null,
  }
  const whole = { ...right, ...different }
  return { headers: { ...signedHeaders(whole, scene.secret, null), 'X-Webhook-Test': 'true' }, body: whole.body }
}

function seconds({ now }: Fixture): number {
  return Math.floor(now.getTime() / 1000)
}

type ProbeEvent = { event?: EventType; at?: Date; id?: string; payload?: object }

/** Uses an entity of its own unless one is named, because a receiver may remember the previous one. */
function sample(scene: Fixture, occurrence: ProbeEvent = {}): string {
  const { event = scene.events[0]!, at = scene.now, id = idLike(event) } = occurrence
  const { subjectId, payload } = declaredEvents[event].sample
  return buildEventBody(scene.store, event, subjectId, occurrence.payload ?? payload, at).replaceAll(subjectId, id)
}

function idLike(event: EventType): string {
  return newId(declaredEvents[event].sample.subjectId.split('_')[0] as Prefix)
}

function withSignatures({ headers, body }: ForgedRequest, change: (signature: string) => string | null): ForgedRequest {
  const others = { ...headers }
  for (const name of signatures) {
    const signature = change(headers[name]!)
    if (signature === null) delete others[name]
    else others[name] = signature
  }
  return { headers: others, body }
}

/** One byte of the entity's id is another. */
function changedBody({ headers, body }: ForgedRequest): ForgedRequest {
  const flip = (_: string, head: string, last: string) => `${head}${last === '0' ? 1 : 0}"`
  return { headers, body: body.replace(/("event_id":"[^"]*)(.)"/, flip) }
}

function sendTwice(shot: ForgedRequest): ForgedRequest[] {
  return [shot, shot]
}

const anHourMs = 3_600_000

/** Sends the latest event of an entity first, then one from an hour before. */
function reorderedEvents(scene: Fixture): ForgedRequest[] {
  const { events, now } = scene
  const first = events.find((event) => event.endsWith('.created')) ?? events[0]!
  const noun = first.split('.')[0]!
  const last = events.find((event) => event !== first && event.startsWith(`${noun}.`)) ?? first
  const id = idLike(first)
  return [
    signProbe(scene, { event: last, body: sample(scene, { event: last, id }) }),
    signProbe(scene, {
      event: first,
      body: sample(scene, { event: first, id, at: new Date(now.getTime() - anHourMs) }),
    }),
  ]
}

function newEvent({ store, now }: Fixture): Partial<SignedHeaders> {
  const body = { event_id: 'new_1', occurred_at: now, new: { id: 'new_1' }, store: { id: store.id } }
  return { event: 'new.added_later', body: JSON.stringify(body) }
}

function withField(body: string): string {
  return `${body.slice(0, -1)},"added_later":{"since":"the next release"}}`
}

/** For subscribers to orders or checkouts; other events never get large. */
function large(scene: Fixture): ForgedRequest[] {
  const event = scene.events.find((each) => each === 'order.created' || each === 'checkout.completed')
  if (!event) return []
  const parts = Object.entries(declaredEvents[event].sample.payload as Record<string, { items?: object[] }>)
  const payload = Object.fromEntries(
    parts.map(([name, part]) => [name, part.items ? { ...part, items: part.items.flatMap(repeatItem) } : part]),
  )
  return [signProbe(scene, { event, body: sample(scene, { event, payload }) })]
}

function repeatItem(item: object): object[] {
  return Array(maxItems).fill({ ...item, product_name: longName })
}
