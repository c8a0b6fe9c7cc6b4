// The conformance suite of the protocol, as it comes from npm. It sends no credential: a proxy adds a key.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { openOauthWorld, toConsent } from '../../../test/oauth.ts'

const world = await openOauthWorld({ host: 'localhost' })
const merchant = await world.newMerchant()
const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json')).replace(
  'package.json',
  'dist/index.js',
)

const proxy = createServer((request, response) => {
  const { url, method, headers } = request
  const own = { ...headers, authorization: `Bearer ${merchant.store.api.key}` }
  const { hostname, port } = new URL(world.url)
  const passed = httpRequest({ hostname, port, path: url, method, headers: own }, (answer: IncomingMessage) => {
    response.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(response)
  })
  passed.on('error', () => response.destroy())
  request.pipe(passed)
}).listen(0, '127.0.0.1')
await once(proxy, 'listening')
after(() => proxy.close())
const proxyUrl = `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`

/** Runs a command of the suite. `seen` gets its lines while it runs. */
async function run(args: string[], seen: (line: string) => void = () => {}): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [suite, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      seen(line)
    })
  }
  const [code] = await once(child, 'close')
  return { code, output: lines.join('\n') }
}

// Scenarios, and the checks of them that ask for tools or prompts of the suite's own, which a store does not have.
const scenarios: [name: string, version: string, untestable?: string[]][] = [
  ['tools-list', '2026-07-28'],
  ['resources-list', '2026-07-28'],
  ['http-header-validation', '2026-07-28'],
  ['dns-rebinding-protection', '2026-07-28'],
  ['sep-2164-resource-not-found', '2026-07-28'],
  [
    'server-stateless',
    '2026-07-28',
    [
      'sep-2575-server-rejects-undeclared-capability',
      'sep-2575-missing-capability-http-400',
      'sep-2575-http-server-no-independent-requests-on-stream',
      'sep-2575-server-no-log-without-loglevel',
    ],
  ],
  ['caching', '2026-07-28', ['sep-2549-prompts-list-caching-hints']],
  ['server-initialize', '2025-11-25'],
  ['ping', '2025-11-25'],
  ['tools-list', '2025-11-25'],
  ['resources-list', '2025-11-25'],
  ['dns-rebinding-protection', '2025-11-25'],
]

for (const [scenario, version, untestable = []] of scenarios) {
  test(`conformance: ${scenario} of ${version}`, async () => {
    const { code, output } = await run(['server', '--url', proxyUrl, '--scenario', scenario, '--spec-version', version])
    const checks = [...stripVTControlCharacters(output).matchAll(/\[([\w-]+) *\] (SUCCESS|FAILURE)/g)]
    const failed = checks.filter(([, , state]) => state === 'FAILURE').map(([, id]) => id)
    assert.deepEqual(failed, untestable, output)
    assert.ok(checks.length > failed.length, output)
    assert.equal(code, failed.length > 0 ? 1 : 0, output)
  })
}

test('conformance: the authorization server, 3 of 3', async () => {
  const port = String(20_000 + (process.pid % 20_000))
  const redirect_uri = `http://127.0.0.1:${port}/callback`
  const { body } = await world.register({
    redirect_uris: [redirect_uri],
    token_endpoint_auth_method: 'none',
    scope: 'read:products propose:orders',
  })
  const consent = async (line: string) => {
    const page = await toConsent(merchant, line)
    const end = await merchant.browser.submit(page, { decision: 'allow' }, (to) => to.startsWith(redirect_uri))
    await fetch(end.location!)
  }
  const settings = [
    '--url',
    world.issuer,
    '--client-id',
    body.client_id,
    '--resource',
    `${world.issuer}/mcp`,
    '--port',
    port,
  ]
  const steps: Promise<void>[] = []
  const { code, output } = await run(['authorization', ...settings], (line) => {
    if (line.startsWith(`${world.issuer}/oauth/authorize?`)) steps.push(consent(line))
  })
  await Promise.all(steps)
  assert.equal(code, 0, output)
  assert.match(output, /Total: 3 passed, 0 failed/, output)
})
