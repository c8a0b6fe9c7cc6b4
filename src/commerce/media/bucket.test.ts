// The expected signatures are the examples "GET Object" and "PUT Object" of AWS for Signature Version 4.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { AwsV4Signer } from 'aws4fetch'
import { ApiError } from '../../kit/values/errors.ts'
import { bucketStorage } from './bucket.ts'

const example = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 's3',
  datetime: '20130524T000000Z',
  allHeaders: true,
}

test('requests are signed as the published examples of Signature Version 4 are', async () => {
  const signatureOf = async (signer: AwsV4Signer) => (await signer.sign()).headers.get('authorization')!.slice(-64)
  const read = new AwsV4Signer({
    ...example,
    url: 'https://examplebucket.s3.amazonaws.com/test.txt',
    headers: {
      range: 'bytes=0-9',
      'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    },
  })
  assert.equal(await signatureOf(read), 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41')
  const write = new AwsV4Signer({
    ...example,
    method: 'PUT',
    url: 'https://examplebucket.s3.amazonaws.com/test%24file.text',
    headers: {
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    },
    body: 'Welcome to Amazon S3.',
  })
  assert.equal(await signatureOf(write), '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd')
})

/** A bucket that stores files and checks only that requests are signed. */
async function bucket(): Promise<{ url: string; files: Map<string, Buffer>; answer: { status: number | null } }> {
  const files = new Map<string, Buffer>()
  const answer = { status: null as number | null }
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request))
    const path = request.url!
    const isSigned = /^AWS4-HMAC-SHA256 Credential=AKIA\w+\/\d{8}\/eu-west-1\/s3\/aws4_request, /.test(
      request.headers.authorization ?? '',
    )
    if (!isSigned || answer.status !== null) return response.writeHead(answer.status ?? 403).end()
    if (request.method === 'PUT') files.set(path, body)
    if (request.method === 'DELETE') files.delete(path)
    const file = request.method === 'GET' ? files.get(path) : undefined
    return response.writeHead(request.method === 'GET' && !file ? 404 : 200).end(file)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/pictures`, files, answer }
}

const { accessKeyId, secretAccessKey } = example

test('files are put into a bucket, read again and removed', async () => {
  const { url, files } = await bucket()
  const storage = bucketStorage({ url, region: 'eu-west-1', accessKeyId, secretAccessKey })
  await storage.put('QN-7H3KM2PX/a/320.webp', Buffer.from('picture'), 'image/webp')
  assert.deepEqual([...files.keys()], ['/pictures/QN-7H3KM2PX/a/320.webp'])
  assert.equal(String(await storage.get('QN-7H3KM2PX/a/320.webp')), 'picture')
  assert.equal(await storage.get('QN-7H3KM2PX/a/640.webp'), null)
  await storage.remove(['QN-7H3KM2PX/a/320.webp', 'QN-7H3KM2PX/a/640.webp'])
  assert.equal(files.size, 0)
})

test('a bucket that refuses or is away is UNAVAILABLE', async () => {
  const { url, answer } = await bucket()
  answer.status = 403
  const isUnavailable = (error: unknown) => error instanceof ApiError && error.status === 503
  const refusing = bucketStorage({ url, region: 'eu-west-1', accessKeyId, secretAccessKey })
  await assert.rejects(refusing.get('a/b'), isUnavailable)
  await assert.rejects(refusing.put('a/b', Buffer.from('x'), 'image/webp'), isUnavailable)
  const away = bucketStorage({ url: 'http://127.0.0.1:9/x', region: 'eu-west-1', accessKeyId, secretAccessKey })
  await assert.rejects(away.get('a/b'), isUnavailable)
})

test('a bucket that hangs is UNAVAILABLE in time', async (t) => {
  const server = createServer(() => {})
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => (server.closeAllConnections(), server.close()))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pictures`
  const hanging = bucketStorage({ url, region: 'eu-west-1', accessKeyId, secretAccessKey }, 100)
  const isUnavailable = (error: unknown) => error instanceof ApiError && error.status === 503
  await assert.rejects(hanging.put('a/b', Buffer.from('x'), 'image/webp'), isUnavailable)
  await assert.rejects(hanging.tryToWrite(), isUnavailable)
})
