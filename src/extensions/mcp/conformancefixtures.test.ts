// The rest of the conformance suite: its scenarios for tools, prompts and resources of its own, which are registered
// here on the servers of /mcp. All that revision 2026-07-28 requires of a server is run here or against the product.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { assertConforms, proxyTo } from '../../../test/mcpconformance.ts'
import { withFixtures } from '../../../test/mcpfixtures.ts'
import { openOauthWorld } from '../../../test/oauth.ts'

const world = await openOauthWorld({ host: 'localhost' })
const merchant = await world.newMerchant()
const mcp = await proxyTo(world.url, merchant.store.api.key)

const revision = '2026-07-28'
const listed = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json')).replace(
  'package.json',
  `requirements/${revision}.yaml`,
)
const [, section = ''] = /^server:\n((?: {2}- .+\n)+)/m.exec(readFileSync(listed, 'utf8'))!
const required = [...section.matchAll(/- (\S+)/g)].map(([, name]) => name!)

test('the suite requires 37 scenarios of a server', () => assert.equal(required.length, 37))

for (const scenario of required) {
  test(`conformance: ${scenario} of ${revision}`, () => withFixtures(() => assertConforms(mcp, scenario, revision)))
}

// What older clients are served without a session.
for (const scenario of [
  'completion-complete',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-error',
  'tools-call-with-progress',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
]) {
  test(`conformance: ${scenario} of 2025-11-25`, () => withFixtures(() => assertConforms(mcp, scenario, '2025-11-25')))
}
