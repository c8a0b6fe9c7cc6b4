// Files of forms, as browsers and curl send them.
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import type { Answer, Client } from './client.ts'

/** Uploads a file, unless given a small picture that is like no other. */
export async function send(
  api: Client,
  file?: Uint8Array,
  fields: Record<string, string> = {},
  name = 'picture.jpg',
  more: Record<string, string> = {},
  path = '/v1/media',
): Promise<Answer> {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  form.set('file', new Blob([(file ?? (await smallPicture())) as Uint8Array<ArrayBuffer>]), name)
  const request = new Request('http://form', { method: 'POST', body: form })
  const headers = { ...more, 'content-type': request.headers.get('content-type')! }
  return api.send('POST', path, { body: new Uint8Array(await request.arrayBuffer()), headers })
}

/** A file that buyers of a product can download. */
export function sendDownload(api: Client, fields: Record<string, string>): Promise<Answer> {
  return send(api, Buffer.from('How to use it'), fields, 'Manual.pdf', {}, '/v1/downloads/files')
}

let made = 0

async function smallPicture(): Promise<Buffer> {
  const colour = (made++ % 0x1000000).toString(16).padStart(6, '0')
  return sharp({ create: { width: 16, height: 16, channels: 3, background: `#${colour}` } })
    .png()
    .toBuffer()
}

/** One of many more bytes. */
export async function noisyPicture(width = 64, height = 64): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  return sharp({ create: { width, height, channels: 3, background: '#888', noise } })
    .png()
    .toBuffer()
}

/** Its sizes are made behind the upload. */
export async function madeReady(api: Client, id: string): Promise<string> {
  for (;;) {
    const { data } = await api.get(`/v1/media/${id}`)
    if (data.status !== 'processing') return id
    await sleep(20)
  }
}
