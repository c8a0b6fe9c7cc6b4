// npm run bench [-- name …]: every scenario beside its ceilings, in turns, in one run. Results in bench/RESULTS.md.
// -- --quick takes three minutes: a tenth of the data, short rounds, nothing is written down.
// BENCH_SECONDS (3) and BENCH_ROUNDS (3) change how long it takes.
import { parseArgs } from 'node:util'

const { values: flags, positionals: chosen } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
})
if (flags.quick) Object.assign(process.env, { BENCH_SCALE: '10', BENCH_SECONDS: '1', BENCH_ROUNDS: '2' })

// What is loaded below reads BENCH_SCALE.
const { compareScenarios } = await import('./compare.ts')
const { reportOf } = await import('./report.ts')
const { writeSection } = await import('./results.ts')

const compared = await compareScenarios(chosen, flags.quick ? 'quick' : 'full')
const report = reportOf(compared)
console.log(report)
if (chosen.length === 0 && !flags.quick) writeSection('REST API', report)
