// The conformance suite of the protocol against the product. What asks for tools and prompts of the suite's own is in
// conformancefixtures.test.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertConforms, proxyTo, runSuite } from '../../../test/mcpconformance.ts'
import { openOauthWorld, toConsent } from '../../../test/oauth.ts'

const world = await openOauthWorld({ host: 'localhost' })
const merchant = await world.newMerchant()
const mcp = await proxyTo(world.url, merchant.store.api.key)

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
  test(`conformance: ${scenario} of ${version}`, () => assertConforms(mcp, scenario, version, untestable))
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
  const { code, output } = await runSuite(['authorization', ...settings], (line) => {
    if (line.startsWith(`${world.issuer}/oauth/authorize?`)) steps.push(consent(line))
  })
  await Promise.all(steps)
  assert.equal(code, 0, output)
  assert.match(output, /Total: 3 passed, 0 failed/, output)
})
