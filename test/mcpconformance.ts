// The conformance suite of the Model Context Protocol, as it comes from npm. It sends no credential: a proxy adds a
// key.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json')).replace(
  'package.json',
  'dist/index.js',
)

/** Runs a command of the suite. `seen` gets its lines while it runs. */
export async function runSuite(
  args: string[],
  seen: (line: string) => void = () => {},
): Promise<{ code: number; output: string }> {
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

/** The address of /mcp with the key of a store. */
export async function proxyTo(url: string, key: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const proxy = createServer((request, response) => {
    const { url: path, method, headers } = request
    const own = { ...headers, authorization: `Bearer ${key}` }
    const passed = httpRequest({ hostname, port, path, method, headers: own }, (answer: IncomingMessage) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  after(() => proxy.close())
  return `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`
}

/** `untestable`: checks that ask for tools or prompts of the suite's own, which the server does not have. */
export async function assertConforms(
  url: string,
  scenario: string,
  version: string,
  untestable: readonly string[] = [],
): Promise<void> {
  const args = ['server', '--url', url, '--scenario', scenario, '--spec-version', version]
  const { code, output } = await runSuite(args)
  const checks = [...stripVTControlCharacters(output).matchAll(/\[([\w-]+) *\] (SUCCESS|FAILURE|WARNING)/g)]
  const failed = checks.filter(([, , state]) => state !== 'SUCCESS').map(([, id]) => id)
  assert.deepEqual(failed, untestable, output)
  assert.ok(checks.length > failed.length, output)
  assert.equal(code, failed.length > 0 ? 1 : 0, output)
}
