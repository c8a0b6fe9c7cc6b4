// Stores files in a bucket with an S3-compatible API.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { AwsClient } from 'aws4fetch'
import { unavailable } from '../../kit/values/errors.ts'
import type { Storage } from './storage.ts'

export type Bucket = {
  /** Includes the bucket: https://s3.example.com/bucket or https://bucket.s3.example.com */
  url: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

// An upload waits for this besides its own work, and must be answered within 20 s.
const patienceMs = 6000
/** A large file takes longer. */
const bytesPerMs = 5000
/** Of a file that a shopper downloads. */
const downloadMs = 60 * 60 * 1000

type Asked = { body?: Uint8Array; type?: string; moreMs?: number }

/** If the bucket is unavailable or refuses a request, the error is UNAVAILABLE. */
export function bucketStorage({ url, ...credentials }: Bucket, timeoutMs = patienceMs): Storage {
  const aws = new AwsClient({ ...credentials, service: 's3', retries: 2 })
  const ask = async (method: string, key: string, { body, type, moreMs = 0 }: Asked = {}): Promise<Response> => {
    const answer = await aws
      .fetch(`${url}/${key}`, {
        method,
        signal: AbortSignal.timeout(Math.ceil(timeoutMs + moreMs)),
        headers: {
          'x-amz-content-sha256': createHash('sha256')
            .update(body ?? '')
            .digest('hex'),
          ...(type ? { 'content-type': type } : {}),
        },
        ...(body ? { body: body as Uint8Array<ArrayBuffer> } : {}),
      })
      .catch((cause: unknown) => {
        throw Object.assign(unavailable(), { cause })
      })
    if (answer.ok || answer.status === 404) return answer
    const cause = new Error(`the bucket responded to ${method} with ${answer.status}`)
    throw Object.assign(unavailable(), { cause })
  }
  const put = async (key: string, bytes: Uint8Array, type: string): Promise<void> => {
    const { status } = await ask('PUT', key, { body: bytes, type, moreMs: bytes.length / bytesPerMs })
    if (status === 404) throw Object.assign(unavailable(), { cause: new Error('the bucket does not exist') })
  }
  return {
    kind: 'bucket',
    put,
    async get(key) {
      const answer = await ask('GET', key)
      return answer.ok ? Buffer.from(await answer.arrayBuffer()) : null
    },
    async open(key) {
      const answer = await ask('GET', key, { moreMs: downloadMs })
      return answer.ok ? Readable.fromWeb(answer.body as ReadableStream) : null
    },
    async remove(keys) {
      await Promise.all(keys.map((key) => ask('DELETE', key)))
    },
    // A bucket never shows incomplete files.
    removeDrafts: async () => {},
    // The key is always the same, so that without permission to delete, only one file remains.
    async tryToWrite() {
      await put('probe', Buffer.from('ok'), 'text/plain')
      await ask('DELETE', 'probe')
    },
  }
}
