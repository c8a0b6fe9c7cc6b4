import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { root } from '../server.ts'
import { noisyPicture } from '../uploads.ts'
import { openWorld } from '../world.ts'
import { run } from './packed.ts'
import { proxied, type Instead } from './proxied.ts'
import { installedWheel, isolated, python, wheelName } from './wheel.ts'

const world = await openWorld()
const folder = await installedWheel()

/** What a scenario of usage.py saw in a new store, or through what stands between. */
async function use(scenario: string, { answer, input = '', ...environment }: Use = {}) {
  const { api } = await world.newStore()
  const between = answer && (await proxied(world.url, answer))
  const env = { PYTHONPATH: folder, BASE: between?.url ?? world.url, DIRECT: world.url, KEY: api.key, ...environment }
  const child = spawn(python, ['-I', '-c', usage, scenario], { env, cwd: folder })
  const texts = ['', '']
  child.stdout.on('data', (chunk) => (texts[0] += chunk))
  child.stderr.on('data', (chunk) => (texts[1] += chunk))
  child.stdin.end(input)
  const code = await new Promise((resolve) => child.on('close', resolve))
  assert.equal(code, 0, texts[1])
  return { saw: JSON.parse(texts[0]!), requests: between?.seen ?? [], api }
}

type Use = { answer?: (attempt: number) => Instead; input?: string; RETRIES?: string; IMAGE?: string }

const usage = isolated(folder, path.join(root, 'test/sdk/usage.py'))

test('the wheel lists each of its files with its hash, and has the same bytes whenever it is built', async () => {
  const check = `
import base64, csv, hashlib, io, sys, tempfile, zipfile
sys.path.insert(0, ${JSON.stringify(path.join(root, 'sdk/python'))})
import backend
first = open(sys.argv[1], "rb").read()
again = tempfile.mkdtemp()
assert open(again + "/" + backend.build_wheel(again), "rb").read() == first
wheel = zipfile.ZipFile(io.BytesIO(first))
record = next(name for name in wheel.namelist() if name.endswith("/RECORD"))
rows = list(csv.reader(io.StringIO(wheel.read(record).decode())))
assert sorted(name for name, *_ in rows) == sorted(wheel.namelist())
for name, digest, size in rows:
    content = wheel.read(name)
    found = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    assert name == record or (digest, size) == (found, str(len(content))), name
assert "stoa/py.typed" in wheel.namelist()`
  await run(python, ['-B', '-c', check, path.join(folder, wheelName)])
})

test('every type of the Python package means something', async () => {
  const check = `
import inspect, sys, typing
sys.path.insert(0, ${JSON.stringify(folder)})
from stoa import api, types
named = [value for value in vars(types).values() if typing.is_typeddict(value)]
for value in named:
    typing.get_type_hints(value)
classes = [value for value in vars(api).values() if inspect.isclass(value) and value.__module__ == "stoa.api"]
methods = [method for one in classes for method in vars(one).values() if inspect.isfunction(method)]
for method in methods:
    for one in [method, *typing.get_overloads(method)]:
        typing.get_type_hints(one)
print(len(named), len(methods))`
  const { stdout: counts } = await run(python, ['-I', '-c', check])
  const [types, methods] = counts.split(' ').map(Number)
  assert.ok(types! > 200 && methods! > 150, counts)
})

test('Python: a list has pages, and is iterated for all of them', async () => {
  assert.deepEqual((await use('lists')).saw, [['A', 'B'], 5, ['A', 'B', 'C', 'D', 'E']])
})

test('Python: a loop that changes what it filters by meets each record once', async () => {
  assert.deepEqual((await use('loop')).saw, ['A', 'B', 'C', 'D', 'E', 'F', 'G'])
})

test('Python: a refusal is an error of its code, with all faults', async () => {
  const { saw } = await use('refused')
  assert.deepEqual(saw, [422, 'VALIDATION_ERROR', ['name', 'price'], true, 'NOT_FOUND'])
})

test('Python: a change is refused if the record is not as it was read', async () => {
  assert.deepEqual((await use('versions')).saw, [12, true])
})

test('Python: a dry run answers with its effects, and changes nothing', async () => {
  assert.deepEqual((await use('dry')).saw, [11, ['product.updated'], 10])
})

test('Python: a write whose answer is lost is repeated with its key, and done once', async () => {
  const answer = (attempt: number) => (attempt === 1 ? 'lost' : attempt === 2 ? { status: 502 } : null)
  const { saw, requests, api } = await use('once', { answer })
  assert.equal(saw, 'Once')
  assert.equal((await api.get('/v1/products')).data.length, 1)
  assert.deepEqual([requests.length, new Set(requests.map((headers) => headers['idempotency-key'])).size], [3, 1])
})

test('Python: 429 is repeated after Retry-After, other refusals never, and a long wait is the error', async () => {
  const limited = (attempt: number) => (attempt === 1 ? { status: 429, headers: { 'retry-after': '0' } } : null)
  assert.equal((await use('code', { answer: limited })).saw, 'USD')
  const late = await use('code', { answer: () => ({ status: 429, headers: { 'retry-after': '3600' } }) })
  assert.deepEqual([late.saw, late.requests.length], [['RateLimitError', 'HTTP_429', 3600], 1])
  const refused = await use('code', { answer: () => ({ status: 418 }) })
  assert.deepEqual([refused.saw, refused.requests.length], [['StoaError', 'HTTP_418', null], 1])
  const down = await use('code', { answer: () => ({ status: 503 }), RETRIES: '1' })
  assert.deepEqual([down.saw, down.requests.length], [['UnavailableError', 'HTTP_503', null], 2])
  const moved = await use('code', { answer: () => ({ status: 302, headers: { location: world.url } }) })
  assert.deepEqual([moved.saw, moved.requests.length], [['StoaError', 'HTTP_302', null], 1])
})

test("Python: a shopper's write has no key, so only a refusal is repeated; the API key is not sent", async () => {
  const { saw, requests } = await use('shopper', { answer: () => ({ status: 500 }) })
  const [first] = requests
  assert.deepEqual([saw, requests.length], ['HTTP_500', 1])
  assert.deepEqual([first!['x-api-key'], first!['idempotency-key']], [undefined, undefined])
})

test('Python: the feed goes on after failures, and where the last loop ended', async () => {
  const { saw } = await use('feed', { answer: (attempt) => (attempt % 2 === 1 ? 'lost' : null), RETRIES: '0' })
  assert.deepEqual(saw, [1, ['A', 'B', 'B', 'C']])
})

test('Python: a file is uploaded', async () => {
  const image = path.join(folder, 'cup.jpg')
  await writeFile(image, await noisyPicture())
  assert.deepEqual((await use('upload', { IMAGE: image })).saw, 'A cup')
})

test('Python: a webhook is verified, or says which check failed, and why', async () => {
  const body = '{"event_id":"prod_1","name":"Käse"}'
  const secret = 'a secret of sixteen'
  const now = 1_772_366_400
  const headers = (over: object = {}, text = body, key = secret) => ({
    'X-Webhook-Id': 'dlv_1',
    'X-Webhook-Event': 'product.deleted',
    'X-Webhook-Timestamp': String(now),
    'X-Webhook-Signature': createHmac('sha256', key).update(`${now}.${text}`).digest('hex'),
    'X-Webhook-Sequence': '7',
    ...over,
  })
  const previous = headers()['X-Webhook-Signature']
  const cases: [object, string | RegExp][] = [
    [{}, 'product.deleted,dlv_1,7,false,prod_1'],
    [
      { headers: headers({ 'x-webhook-signature-previous': previous }, body, 'new') },
      'product.deleted,dlv_1,7,false,prod_1',
    ],
    [{ secret: ['new', secret] }, 'product.deleted,dlv_1,7,false,prod_1'],
    [{ headers: {} }, /^header,X-Webhook-Id is missing/],
    [{ body: JSON.parse(body) }, /^body,.*pass the raw body/],
    [{ headers: headers({ 'X-Webhook-Timestamp': 'today' }) }, /^timestamp,.*not in seconds: today/],
    [{ now: now + 301 }, /^timestamp,.*301 seconds old, more than 300/],
    [{ now: now - 301 }, /^timestamp,.*301 seconds ahead/],
    [{ headers: headers({ 'X-Webhook-Signature': 'abc' }) }, /^signature,.*not 64 hexadecimal digits/],
    [{ secret: '' }, /^signature,.*the secret is empty/],
    [{ secret: `${secret}\n` }, /^signature,.*spaces or a line break/],
    [{ body: JSON.stringify(JSON.parse(body), null, 2) }, /^signature,.*changed on the way/],
    [{ secret: 'another' }, /^signature,.*that of another webhook/],
    [{ headers: headers({}, 'no json'), body: 'no json' }, /^json,.*not JSON/],
  ]
  const input = JSON.stringify(cases.map(([change]) => ({ secret, headers: headers(), body, now, ...change })))
  const { saw } = await use('webhooks', { input })
  cases.forEach(([, expected], index) => {
    if (typeof expected === 'string') assert.equal(String(saw[index]), expected)
    else assert.match(String(saw[index]), expected)
  })
})
