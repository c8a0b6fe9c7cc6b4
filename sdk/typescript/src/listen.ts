#!/usr/bin/env node
// stoa-listen <url>: forwards the new events of a store to a receiver on this machine, signed as webhooks are.
// It reads STOA_URL, STOA_KEY (read:webhooks) and WEBHOOK_SECRET.
import { Stoa } from './client.ts'

declare const process: { argv: string[]; env: Record<string, string | undefined> }

const [, , receiver] = process.argv
const { STOA_URL: url = 'http://localhost:4000', STOA_KEY: key, WEBHOOK_SECRET: secret } = process.env
if (!receiver || !key || !secret)
  throw new Error('Usage: STOA_KEY=… WEBHOOK_SECRET=… stoa-listen <url of the receiver>')

const encode = (text: string) => new TextEncoder().encode(text)
const signingKey = await crypto.subtle.importKey('raw', encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
  'sign',
])

async function sign(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', signingKey, encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const stoa = new Stoa({ url, key })
const { log } = await stoa.events.list({ after: 0, limit: 1 })
console.log(`Forwarding the events of ${url} to ${receiver}`)
for await (const { id, event, sequence, body } of stoa.events.after(log.newest)) {
  const text = JSON.stringify(body)
  const timestamp = String(Math.floor(Date.now() / 1000))
  const headers = {
    'Content-Type': 'application/json',
    'X-Webhook-Id': id,
    'X-Webhook-Timestamp': timestamp,
    'X-Webhook-Signature': await sign(`${timestamp}.${text}`),
    'X-Webhook-Event': event,
    'X-Webhook-Sequence': String(sequence),
  }
  const answer = await fetch(receiver, { method: 'POST', headers, body: text }).catch((error: Error) => error)
  console.log(`${event} → ${answer instanceof Error ? answer.message : answer.status}`)
}
