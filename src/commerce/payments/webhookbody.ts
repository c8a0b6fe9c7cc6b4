// Reads the body of a webhook whose signature is verified.
import type { WebhookEvent, MalformedWebhook } from './provider.ts'

/** Parses a JSON object; null for anything else. */
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

/** Providers' ids are short and printable. A NUL could not be stored. */
export function toWebhookEvent(eventId: unknown, reference: unknown): WebhookEvent | MalformedWebhook {
  return isName(eventId) && (reference === null || isName(reference)) ? { eventId, reference } : 'malformed'
}

function isName(text: unknown): text is string {
  return typeof text === 'string' && /^[\x21-\x7e]{1,255}$/.test(text)
}
