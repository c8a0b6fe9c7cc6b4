// node bench/webhooks.ts [scenario …]: what deliveries cost, and what they stand. Results in bench/RESULTS.md.
import { cpus } from 'node:os'
import { writeSection } from './results.ts'
import { commits } from './webhooks/commits.ts'
import { killsOfPostgres, killsOfServer } from './webhooks/kills.ts'
import { latency } from './webhooks/latency.ts'
import { throughput } from './webhooks/throughput.ts'
import { openWorld, type World } from './webhooks/world.ts'

const scenarios: Record<string, (world: World) => Promise<string>> = {
  throughput,
  latency,
  killsOfServer,
  killsOfPostgres,
  commits,
}

const chosen = process.argv.slice(2)
const tables: string[] = []
for (const [name, scenario] of Object.entries(scenarios)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  const world = await openWorld()
  try {
    tables.push(await scenario(world))
  } finally {
    await world.close()
  }
  console.log(tables.at(-1))
}
if (chosen.length === 0) {
  const machine = `${cpus().length} cores shared by the server, PostgreSQL, the receiver and the load`
  writeSection(
    'Webhooks',
    `${machine}; Node ${process.version}. HTTPS throughout.
The bare loop and the receiver have the cores for themselves; the worker shares them with PostgreSQL too.

| | |
| --- | --- |
${tables.join('\n')}`,
  )
}
