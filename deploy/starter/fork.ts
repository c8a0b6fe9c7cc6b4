// A fork of the store for a test file: it can be changed, and its time can be moved. It is deleted with the file.
import { createHmac } from 'node:crypto'
import { after } from 'node:test'
import { Stoa } from './stoa/index.ts'

export const secret = 'a secret of the tests'

export async function openFork(): Promise<Stoa> {
  const { STOA_URL: url = 'http://localhost:4000', STOA_KEY: key } = process.env
  if (!key) throw new Error('Set STOA_KEY to an API key of the store to fork, for example in .env')
  const origin = new Stoa({ url, key })
  const fork = await origin.forks.create({ name: 'Tests of my app' })
  after(() => origin.forks.delete(fork.id))
  for (let tries = 0; tries < 60; tries++) {
    const { status, error } = await origin.forks.get(fork.id)
    if (status === 'ready') break
    if (status === 'failed') throw new Error(error ?? 'The fork failed')
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
  return new Stoa({ url: `${url}${new URL(fork.url).pathname}`, key: fork.key })
}

/** Sends an event as Stoa does. A fork cannot reach this machine, which has no public address. */
export async function deliver(to: string, event: string, body: object): Promise<Response> {
  const text = JSON.stringify(body)
  const timestamp = String(Math.floor(Date.now() / 1000))
  const headers = {
    'content-type': 'application/json',
    'x-webhook-id': `dlv_${event}_${text.length}`,
    'x-webhook-event': event,
    'x-webhook-timestamp': timestamp,
    'x-webhook-signature': createHmac('sha256', secret).update(`${timestamp}.${text}`).digest('hex'),
  }
  return fetch(to, { method: 'POST', headers, body: text })
}
