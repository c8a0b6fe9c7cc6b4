// npm run bench [-- name …]: every scenario beside its ceilings, in turns, in one run. Results in bench/RESULTS.md.
// -- --against COMMIT compares this tree with another commit instead, on the same rows.
// -- --limits compares each route with its limit: node:http, or the least transaction that stores the same rows.
// -- --large asks a store of 200,000 products and 200,000 orders among 2,000 of ten.
// -- --quick takes three minutes: fewer rows and scenarios, short rounds; it writes no results.
// BENCH_SECONDS and BENCH_ROUNDS change how long it takes.
import { parseArgs } from 'node:util'

const { values: flags, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    against: { type: 'string' },
    limits: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
  },
})
const scale = flags.quick ? '10' : flags.against ? '5' : undefined
const short = flags.quick ? { BENCH_SECONDS: '1', BENCH_ROUNDS: '3' } : {}
const many = flags.large ? { BENCH_STORES: '2000', BENCH_ROWS: '10', BENCH_LARGE: '200000' } : {}
Object.assign(process.env, { ...(scale && { BENCH_SCALE: scale }), ...short, ...many, ...process.env })

// The modules below read the environment when they are loaded.
const { writeSection } = await import('./results.ts')
if (flags.against) await compareCommits(flags.against)
else if (flags.limits) await compareWithLimits()
else if (flags.large) await import('./large.ts')
else await compareCeilings()

async function compareCommits(commit: string): Promise<void> {
  const { compareWith } = await import('./against.ts')
  const report = await compareWith(commit, names, flags.quick)
  console.log(report)
  if (names.length === 0 && !flags.quick) writeSection(`Beside ${commit}`, report)
}

async function compareWithLimits(): Promise<void> {
  const { compareLimits } = await import('./limits.ts')
  const report = await compareLimits(names, flags.quick ? 'quick' : 'full')
  console.log(report)
  if (names.length === 0 && !flags.quick) writeSection('Limits', report)
}

async function compareCeilings(): Promise<void> {
  const [{ compareScenarios }, { reportOf }] = await Promise.all([import('./compare.ts'), import('./report.ts')])
  const report = reportOf(await compareScenarios(names, flags.quick ? 'quick' : 'full'))
  console.log(report)
  if (names.length === 0 && !flags.quick) writeSection('REST API', report)
}
