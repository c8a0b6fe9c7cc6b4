// A provider for testing (src/extensions/sandbox/), which moves no money.
import { createHmac } from 'node:crypto'
import { choice, text } from '../../../kit/declare/scalars.ts'
import { getCurrencyExponent } from '../../../kit/values/money.ts'
import { equalSecrets } from '../../../kit/values/secrets.ts'
import { fromMinor, toMinor, type Unit } from '../minorunits.ts'
import { toWebhookEvent, isObject, objectIn } from '../webhookbody.ts'
import type {
  CallContext,
  WebhookEvent,
  MalformedWebhook,
  ProviderResult,
  PaymentProvider,
  ProviderRefusal,
  ProviderState,
  ProviderStatus,
} from '../provider.ts'

export const sandbox: PaymentProvider = {
  kind: 'remote',
  settings: {
    api_key: text({ min: 1, max: 200 }).required().secret().describe('sk_sandbox_…, from your sandbox account'),
    webhook_secret: text({ min: 1, max: 200 }).secret().describe('whsec_…, from the same account'),
    capture: choice(['automatic', 'manual']).describe('manual: payments are authorized and captured later'),
  },
  wallets: ['Sandbox Pay'],
  origins: ({ apiUrl }) => (apiUrl === null ? [] : [new URL(apiUrl).origin]),

  async createPayment({ id, amount, currency, description }, context) {
    const minor = toMinor(amount, getSandboxUnit(currency))
    const urls = { return_url: context.returnUrl, cancel_url: context.cancelUrl }
    const capture = context.settings.capture ?? 'automatic'
    const body = { amount: minor, currency, reference: id, description, capture, ...urls }
    const answer = await write(context, '/v1/sessions', body, id)
    return isRefused(answer) ? answer : { reference: textIn(answer, 'id'), next: { redirect: textIn(answer, 'url') } }
  },
  async fetchState(reference, context) {
    const answer = await call(context, 'GET', buildSessionPath(reference))
    if (isRefused(answer)) throw new Error(`the sandbox refused to return ${reference}: ${answer.refused}`)
    return toSandboxState(answer)
  },
  async capture(reference, amount, key, context) {
    const answer = await write(
      context,
      buildSessionPath(reference, 'capture'),
      { amount: toMinor(amount, getSandboxUnit(context.currency)) },
      key,
    )
    return isRefused(answer) ? answer : toSandboxResult(answer)
  },
  async refund(reference, amount, key, context) {
    const answer = await write(
      context,
      buildSessionPath(reference, 'refund'),
      { amount: toMinor(amount, getSandboxUnit(context.currency)) },
      key,
    )
    return isRefused(answer) ? answer : toSandboxResult(answer)
  },
  async cancel(reference, key, context) {
    const answer = await write(context, buildSessionPath(reference, 'cancel'), {}, key)
    return isRefused(answer) ? answer : toSandboxResult(answer)
  },
  parseWebhook: async (raw, headers, context) => (isSigned(raw, headers, context) ? webhookEventIn(raw) : null),
}

function getSandboxUnit(currency: string): Unit {
  return { exponent: getCurrencyExponent(currency), step: 1 }
}

function buildSessionPath(reference: string, action?: string): string {
  return `/v1/sessions/${encodeURIComponent(reference)}${action ? `/${action}` : ''}`
}

type SandboxResponse = Record<string, unknown>

function write(
  context: CallContext,
  path: string,
  body: object,
  key: string,
): Promise<SandboxResponse | ProviderRefusal> {
  return call(context, 'POST', path, { body: JSON.stringify(body), headers: { 'idempotency-key': key } })
}

const refusalStatuses = new Set([400, 401, 404, 409])

async function call(
  { apiUrl, settings, signal, fetch }: CallContext,
  method: string,
  path: string,
  { body, headers }: { body?: string; headers?: Record<string, string> } = {},
): Promise<SandboxResponse | ProviderRefusal> {
  if (apiUrl === null) return { refused: 'The operator of this service has not set SANDBOX_URL' }
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
  if (typeof answer !== 'object' || answer === null) throw new Error('the sandbox did not return an object')
  if (refusalStatuses.has(response.status)) return { refused: textIn(answer as SandboxResponse, 'message') }
  if (!response.ok) throw new Error(`the sandbox responded with ${response.status}`)
  return answer as SandboxResponse
}

function isRefused(answer: SandboxResponse | ProviderRefusal): answer is ProviderRefusal {
  return 'refused' in answer
}

function textIn(answer: SandboxResponse, name: string): string {
  const value = answer[name]
  if (typeof value !== 'string') throw new Error(`the sandbox response lacks ${name}`)
  return value
}

function amountIn(answer: SandboxResponse, name: string, unit: Unit): number {
  const value = answer[name]
  if (!Number.isSafeInteger(value)) throw new Error(`the sandbox response lacks ${name}`)
  return fromMinor(value as number, unit)
}

const statuses: Record<string, ProviderStatus> = {
  pending: 'pending',
  requires_action: 'requires_action',
  processing: 'processing',
  authorized: 'authorized',
  captured: 'captured',
  failed: 'failed',
  canceled: 'cancelled',
  expired: 'expired',
}

function toSandboxState(answer: SandboxResponse): ProviderState {
  const [status, currency] = [textIn(answer, 'status'), textIn(answer, 'currency')]
  if (!Object.hasOwn(statuses, status)) throw new Error(`the sandbox returned the unknown status ${status}`)
  const sum = (name: string) => amountIn(answer, name, getSandboxUnit(currency))
  return {
    status: statuses[status]!,
    authorized: sum('authorized'),
    captured: sum('captured'),
    refunded: sum('refunded'),
    currency,
  }
}

function toSandboxResult(answer: SandboxResponse): ProviderResult {
  return { reference: textIn(answer, 'id'), status: 'done' }
}

const toleranceSeconds = 300

/** https://www.standardwebhooks.com */
function isSigned(
  raw: Buffer,
  headers: Parameters<PaymentProvider['parseWebhook']>[1],
  { settings, now }: CallContext,
): boolean {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => String(headers[`webhook-${name}`]))
  const ageSeconds = Math.abs(now.getTime() / 1000 - Number(timestamp))
  if (!settings.webhook_secret || !(ageSeconds <= toleranceSeconds)) return false
  const key = Buffer.from(settings.webhook_secret.replace(/^whsec_/, ''), 'base64')
  const expectedSignature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(raw).digest('base64')
  return signatures!.split(' ').some((signature) => equalSecrets(signature, `v1,${expectedSignature}`))
}

/** The signature proves the sender. Amounts of the body are not trusted. */
function webhookEventIn(raw: Buffer): WebhookEvent | MalformedWebhook {
  const event = objectIn(raw)
  if (!event || !isObject(event.data)) return 'malformed'
  return toWebhookEvent(event.id, event.data.id)
}
