// Lints the OpenAPI document by Redocly, with its recommended rules. `npm run check:docs` runs it.
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { openApi } from '../src/http/openapi.ts'
import { tables } from '../src/program/tables.ts'
import { sentRequests } from '../src/developer/webhooks/openapi.ts'

const root = path.join(import.meta.dirname, '..')
const cache = path.join(root, 'node_modules', '.cache')
const file = path.join(cache, 'openapi.json')
const serverUrl = 'https://shop.test'
const document = openApi({ tables, serverUrl, authUrl: serverUrl, webhooks: sentRequests() })

async function redocly(): Promise<string[]> {
  const bin = path.join(root, 'node_modules/@redocly/cli/bin/cli.js')
  const rules = ['lint', '--extends', 'recommended', '--format', 'json', file]
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { stdout } = await promisify(execFile)(process.execPath, [bin, ...rules], { env, maxBuffer: 64_000_000 }).catch(
    (error) => error,
  )
  const { problems } = JSON.parse(stdout) as { problems: { ruleId: string; message: string; location: any[] }[] }
  return problems.map(({ ruleId, message, location }) => `redocly ${ruleId}: ${message} ${location[0].pointer}`)
}

mkdirSync(cache, { recursive: true })
writeFileSync(file, JSON.stringify(document))
const problems = await redocly()
for (const problem of problems.slice(0, 50)) console.error(problem)
if (problems.length > 0) {
  console.error(`${problems.length} problems in the OpenAPI document`)
  process.exitCode = 1
}
