// Receives webhooks: verifies them, skips those that were seen, and passes the rest on.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { verifyWebhook, WebhookError, type WebhookEvent } from './stoa/index.ts'

export type OnEvent = (event: WebhookEvent) => Promise<void>

export function createReceiver(secret: string, onEvent: OnEvent) {
  // Deliveries are repeated until one is answered. Keep their IDs in your database instead, with what the event changes.
  const seen = new Set<string>()
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const event = await verifyWebhook({ secret, headers: request.headers, body: await bodyOf(request) })
      if (!seen.has(event.id)) await onEvent(event)
      seen.add(event.id)
      response.writeHead(204).end()
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      response.writeHead(400, { 'content-type': 'text/plain' }).end(error.message)
    }
  }
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}
