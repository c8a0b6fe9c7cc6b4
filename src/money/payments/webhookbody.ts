// What is read of a webhook's body, once its signature is right.
import type { WebhookEvent, MalformedWebhook } from './provider.ts'

/** The JSON object in it; null where it is none. */
export function objectIn(raw: Buffer): Record<string, unknown> | null {
  try {
    const body: unknown = JSON.parse(raw.toString())
    return isObject(body) ? body : null
  } catch {
    return null
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Names of providers are short and printable; a NUL, for one, cannot be stored. */
export function webhookEventOf(eventId: unknown, reference: unknown): WebhookEvent | MalformedWebhook {
  return isName(eventId) && (reference === null || isName(reference)) ? { eventId, reference } : 'malformed'
}

function isName(text: unknown): text is string {
  return typeof text === 'string' && /^[\x21-\x7e]{1,255}$/.test(text)
}
