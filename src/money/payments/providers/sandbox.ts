// The house's own provider (src/demo/psp/), which moves no money: for trying out a shop, and for tests.
import { createHmac } from 'node:crypto'
import { choice, text } from '../../../kit/declare/scalars.ts'
import { exponentOf } from '../../../kit/values/money.ts'
import { equalSecrets } from '../../../kit/values/secrets.ts'
import { fromMinor, toMinor, type Unit } from '../minorunits.ts'
import { heardOf, isObject, objectIn } from '../webhookbody.ts'
import type { At, Heard, Malformed, Moved, PaymentProvider, Refused, Seen, Status } from '../provider.ts'

export const sandbox: PaymentProvider = {
  kind: 'elsewhere',
  settings: {
    api_key: text({ min: 1, max: 200 }).required().secret().describe('sk_sandbox_…, of an account at the sandbox'),
    webhook_secret: text({ min: 1, max: 200 }).secret().describe('whsec_…, of the same account'),
    capture: choice(['automatic', 'manual']).describe('manual: money is held until it is captured'),
  },
  origins: ({ apiUrl }) => (apiUrl === null ? [] : [new URL(apiUrl).origin]),

  async begin({ id, amount, currency, description }, at) {
    const minor = toMinor(amount, unitOf(currency))
    const urls = { return_url: at.returnUrl, cancel_url: at.cancelUrl }
    const capture = at.settings.capture ?? 'automatic'
    const body = { amount: minor, currency, reference: id, description, capture, ...urls }
    const answer = await write(at, '/v1/sessions', body, id)
    return isRefused(answer) ? answer : { reference: textIn(answer, 'id'), next: { redirect: textIn(answer, 'url') } }
  },
  async look(reference, at) {
    const answer = await call(at, 'GET', pathOf(reference))
    if (isRefused(answer)) throw new Error(`the sandbox does not tell of ${reference}: ${answer.refused}`)
    return seenIn(answer)
  },
  async capture(reference, amount, key, at) {
    const answer = await write(at, pathOf(reference, 'capture'), { amount: toMinor(amount, unitOf(at.currency)) }, key)
    return isRefused(answer) ? answer : movedBy(answer)
  },
  async refund(reference, amount, key, at) {
    const answer = await write(at, pathOf(reference, 'refund'), { amount: toMinor(amount, unitOf(at.currency)) }, key)
    return isRefused(answer) ? answer : movedBy(answer)
  },
  async cancel(reference, key, at) {
    const answer = await write(at, pathOf(reference, 'cancel'), {}, key)
    return isRefused(answer) ? answer : movedBy(answer)
  },
  hear: async (raw, headers, at) => (isSigned(raw, headers, at) ? heardIn(raw) : null),
}

function unitOf(currency: string): Unit {
  return { exponent: exponentOf(currency), step: 1 }
}

function pathOf(reference: string, action?: string): string {
  return `/v1/sessions/${encodeURIComponent(reference)}${action ? `/${action}` : ''}`
}

type Answer = Record<string, unknown>

function write(at: At, path: string, body: object, key: string): Promise<Answer | Refused> {
  return call(at, 'POST', path, { body: JSON.stringify(body), headers: { 'idempotency-key': key } })
}

const refusals = new Set([400, 401, 404, 409])

async function call(
  { apiUrl, settings, signal, fetch }: At,
  method: string,
  path: string,
  { body, headers }: { body?: string; headers?: Record<string, string> } = {},
): Promise<Answer | Refused> {
  if (apiUrl === null) return { refused: 'The operator of this service has set no SANDBOX_URL' }
  const type = body === undefined ? {} : { body, headers: { 'content-type': 'application/json', ...headers } }
  const authorization = `Bearer ${settings.api_key}`
  const response = await fetch(apiUrl + path, {
    method,
    ...type,
    headers: { ...type.headers, authorization },
    signal,
    redirect: 'error',
  })
  const answer: unknown = await response.json()
  if (typeof answer !== 'object' || answer === null) throw new Error('the sandbox answered no object')
  if (refusals.has(response.status)) return { refused: textIn(answer as Answer, 'message') }
  if (!response.ok) throw new Error(`the sandbox answered ${response.status}`)
  return answer as Answer
}

function isRefused(answer: Answer | Refused): answer is Refused {
  return 'refused' in answer
}

function textIn(answer: Answer, name: string): string {
  const value = answer[name]
  if (typeof value !== 'string') throw new Error(`the sandbox answered without ${name}`)
  return value
}

function amountIn(answer: Answer, name: string, unit: Unit): number {
  const value = answer[name]
  if (!Number.isSafeInteger(value)) throw new Error(`the sandbox answered without ${name}`)
  return fromMinor(value as number, unit)
}

const statuses = {
  pending: true,
  requires_action: true,
  processing: true,
  authorized: true,
  captured: true,
  failed: true,
  canceled: true,
  expired: true,
} satisfies Record<Status, true>

function seenIn(answer: Answer): Seen {
  const [status, currency] = [textIn(answer, 'status'), textIn(answer, 'currency')]
  if (!Object.hasOwn(statuses, status)) throw new Error(`the sandbox answered with the status ${status}`)
  const sum = (name: string) => amountIn(answer, name, unitOf(currency))
  return {
    status: status as Status,
    authorized: sum('authorized'),
    captured: sum('captured'),
    refunded: sum('refunded'),
    currency,
  }
}

function movedBy(answer: Answer): Moved {
  return { reference: textIn(answer, 'id'), status: 'done' }
}

const toleranceSeconds = 300

/** https://www.standardwebhooks.com */
function isSigned(raw: Buffer, headers: Parameters<PaymentProvider['hear']>[1], { settings, now }: At): boolean {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => String(headers[`webhook-${name}`]))
  const ageSeconds = Math.abs(now.getTime() / 1000 - Number(timestamp))
  if (!settings.webhook_secret || !(ageSeconds <= toleranceSeconds)) return false
  const key = Buffer.from(settings.webhook_secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(raw).digest('base64')
  return signatures!.split(' ').some((signature) => equalSecrets(signature, `v1,${expected}`))
}

/** Signed, it comes from the sandbox; its amounts may lie all the same. */
function heardIn(raw: Buffer): Heard | Malformed {
  const event = objectIn(raw)
  if (!event || !isObject(event.data)) return 'malformed'
  return heardOf(event.id, event.data.id)
}
