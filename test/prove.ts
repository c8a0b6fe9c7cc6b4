// npm run prove -- [minutes] tests Stoa's claims for about 5 minutes, or the given number, and writes docs/proof.md.
// The tests themselves decide what to try and how often.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import os from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { version } from '../src/platform/process/version.ts'
import type { ProofLine } from './proofreport.ts'
import { drawSeed } from './random.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const file = 'docs/proof.md'
const minutes = Number(process.argv[2] ?? 5)
if (!(minutes >= 1 && minutes <= 600)) throw new Error('npm run prove -- [minutes], from 1 to 600')
const endsAt = performance.now() + minutes * 60_000
const seed = Number(process.env.SEED ?? drawSeed())

type Trial = {
  title: string
  claim: string
  files: string[]
  /** The fraction of the remaining time that it may take. Defaults to as long as it needs. */
  share?: number
  /** `seconds` is the time that it may take. */
  env: (seconds: number) => Record<string, string>
}

// prettier-ignore
const trials: Trial[] = [
  { title: 'Isolation', files: ['test/isolation.test.ts'], env: () => ({}), claim: `
An ID of another store looks like an unknown one, byte for byte, wherever an endpoint accepts an ID, with row-level
security on. Nothing in the other store changes.` },
  { title: 'Dry runs', files: ['test/rehearsal.test.ts'], env: () => ({}), claim: `
For every write of the API, \`Prefer: dry-run\` leaves the database unchanged to the byte, and the write then does what
the dry run reported.` },
  { title: 'Requests', files: ['test/fuzz.test.ts'],
    env: () => ({ FUZZ_CASES: '1500', SEED: String(seed) }), claim: `
For valid, nearly valid and random requests generated from the OpenAPI document, no response is a 5xx, and every
response matches the document.` },
  { title: 'Races', files: ['test/pairs.test.ts'], share: 1 / 3, claim: `
For any two operations at once on the same few records, no response is a 5xx, each change has one event, and stock,
totals, counters and order numbers match the rows.`,
    env: (seconds) => ({ SEED: String(seed), PAIRS: '1000000', PAIRS_WITHIN_S: String(seconds) }) },
  { title: 'Kills', files: ['test/durability.test.ts'], share: 1 / 2, claim: `
Every write acknowledged with 2xx is stored completely and once, after kill -9 of the server, of PostgreSQL, of both
and of a worker.`,
    env: (seconds) => ({ KILLS: '100000', KILLS_WITHIN_S: String(seconds) }) },
  { title: 'Money', files: ['test/purchases.test.ts'], share: 1, claim: `
If the payment provider's webhooks are lost, duplicated, late or misleading, its responses are lost, and processes are
killed with kill -9, every charged shopper has one order or one refund.`,
    env: (seconds) => ({
      PURCHASES: String(seconds * 10), PURCHASE_KILLS: String(Math.ceil(seconds / 40)),
      PURCHASES_WITHIN_S: String(seconds),
    }) },
]

type Outcome = Omit<Trial, 'env'> & {
  settings: Record<string, string>
  seconds: number
  lines: ProofLine[]
  holds: boolean
}

const testing = [
  '--test',
  '--test-concurrency=1',
  '--test-global-setup=test/setup.ts',
  '--test-reporter=./test/proofreport.ts',
  '--test-reporter-destination=stdout',
]

/** The rest of a trial's time is for its final checks. */
const working = 0.7
/** Each trial gets at least this time, however little is left. */
const leastSeconds = 20

async function run(trial: Trial): Promise<Outcome> {
  const left = (endsAt - performance.now()) / 1000
  const settings = trial.env(Math.max(leastSeconds, Math.round(left * (trial.share ?? 1) * working)))
  process.stdout.write(`${trial.title} … `)
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...testing, ...trial.files], {
    cwd: root,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: ProofLine[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('{"kind":')) lines.push(JSON.parse(line))
  })
  const [code] = await once(child, 'close')
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  process.stdout.write(`${code === 0 ? 'holds' : 'FAILED'}, ${seconds} s\n`)
  for (const line of lines)
    if (line.kind === 'test' && line.error) process.stdout.write(`${line.name}\n${line.error}\n`)
  return { ...trial, settings, seconds, lines, holds: code === 0 && hasTried(lines) }
}

const outcomes: Outcome[] = []
for (const trial of trials) outcomes.push(await run(trial))
await writeFile(new URL(`../${file}`, import.meta.url), pageOf(outcomes))
process.stdout.write(`Wrote ${file}\n`)
if (outcomes.some(({ holds }) => !holds)) process.exitCode = 1
const tests = outcomes.flatMap(testsOf)
const failed = tests.filter(({ hasPassed }) => !hasPassed).length
process.stdout.write(`${tests.length - failed} passed, ${failed} failed\n`)

function pageOf(all: readonly Outcome[]): string {
  const [cpu] = os.cpus()
  const machine = `${os.cpus().length} × ${cpu?.model.trim() ?? 'CPU'}, ${os.type()}, Node ${process.versions.node}`
  const today = new Date().toISOString().slice(0, 10)
  const load = os.loadavg()[0]!.toFixed(1)
  return `# What was proven

Generated by \`npm run prove -- ${minutes}\` with version ${version} on ${today}: ${machine}, load ${load} at the
end. \`npm run prove -- 60\` runs longer.

| | Holds | Cases | Seconds |
|---|---|---|---|
${all.map((one) => `| ${one.title} | ${one.holds ? 'yes' : '**no**'} | ${casesOf(one)} | ${one.seconds} |`).join('\n')}

${all.map(sectionOf).join('\n')}`
}

function testsOf({ lines }: Outcome) {
  return lines.filter((line) => line.kind === 'test')
}

function casesOf(one: Outcome): string {
  const tests = testsOf(one)
  const failed = tests.filter(({ hasPassed }) => !hasPassed).length
  return failed > 0 ? `${failed} of ${tests.length} tests failed` : (countOf(one) ?? `${tests.length} tests`)
}

/** A trial without cases proves nothing. */
function hasTried(lines: readonly ProofLine[]): boolean {
  const known = figuresOf({ lines })
  const counts = [known?.rehearsals, known?.pairs, known?.rounds, known?.purchases]
  return lines.length > 0 && !counts.includes(0)
}

/** The figures that the test prints. */
function figuresOf({ lines }: { lines: readonly ProofLine[] }): Record<string, any> | null {
  const said = lines.findLast((line) => line.kind === 'figures')
  return said ? JSON.parse(said.text.replace(/^SEED=\d+ /, '')) : null
}

function countOf(one: Outcome): string | null {
  const known = figuresOf(one)
  switch (known && one.title) {
    case 'Dry runs':
      return `${known!.rehearsals} writes of ${known!.operations} operations`
    case 'Races':
      return `${known!.pairs} pairs: ${countsIn(known!.statuses)}`
    case 'Kills':
      return `${known!.rounds} kills, ${known!.acknowledged} writes acknowledged, ${known!.afterRepetition} repeated`
    case 'Money':
      return `${known!.purchases} purchases, ${known!.killed} kills`
    default:
      return null
  }
}

function countsIn(statuses: Record<string, number>): string {
  const counts = Object.entries(statuses).map(([status, times]) => `${times} × ${status}`)
  return counts.join(', ')
}

function sectionOf(one: Outcome): string {
  const failed = testsOf(one).filter(({ hasPassed }) => !hasPassed)
  const names = failed.map(({ name }) => `- failed: ${name}\n`).join('')
  const known = figuresOf(one)
  const times = {
    PAIRS: known?.pairs,
    KILLS: known?.rounds,
    PURCHASES: known?.purchases,
    PURCHASE_KILLS: known?.killed,
  }
  const settings = Object.entries({ ...one.settings, ...times }).filter(
    ([name, value]) => name in one.settings && !name.endsWith('_WITHIN_S') && value !== undefined,
  )
  const command = `npm test -- ${one.files.join(' ')}`
  const chance = 'SEED' in one.settings ? 'The seed repeats the same choices.\n' : 'Each run makes new choices.\n'
  return `## ${one.title}

${one.claim.trim()}

${names}\`\`\`sh
${[...settings.map(([name, value]) => `${name}=${value}`), command].join(' ')}
\`\`\`
${one.share ? `\n${chance}` : ''}`
}
