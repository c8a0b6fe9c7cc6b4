import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NotForm, readFormParts } from './multipart.ts'

test('a form is read part by part, and a file in it is not copied', async () => {
  const form = (...parts: string[]) => Buffer.from(`${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--`)
  const field = (name: string, text: string) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${text}`
  const read = async (body: Buffer) => {
    const parts: (string | null)[][] = []
    for await (const { name, filename, content } of readFormParts(body, 'b')) {
      parts.push([name, filename, String(content)])
      assert.equal(content.buffer, body.buffer)
    }
    return parts
  }
  const file =
    'content-disposition: form-data; name="file"; filename="a %22b%22.csv"\r\ncontent-type: text/csv\r\n\r\n\r\n--a'
  assert.deepEqual(await read(form(field('a', ''), field('ü', 'x\r\n-'), file)), [
    ['a', null, ''],
    ['ü', null, 'x\r\n-'],
    ['file', 'a "b".csv', '\r\n--a'],
  ])
  for (const broken of [
    '',
    'x',
    '--b',
    '--b\r\n',
    '--bx',
    '--b\r\na: b\r\n\r\n--b--',
    '--b\r\n\r\n\r\n--b--',
    '--c--',
  ]) {
    await assert.rejects(read(Buffer.from(broken)), NotForm, broken)
  }
})
