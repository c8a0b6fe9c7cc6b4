// The parts of `npm run test:deep`. A test file that no part names runs in `npm test`.
import { globSync } from 'node:fs'
import path from 'node:path'
import type { ProgramName } from './programs.ts'

export type Part = {
  /** Expected on two cores. */
  minutes: number
  proves: string
  /** Programs that npm doesn't install. */
  needs: ProgramName[]
  /** How often the suites try, beyond their defaults. */
  tries?: Record<string, string>
  /** Patterns, relative to the root. */
  files: string[]
}

/** In `npm test`, though its folder is a part: it has a purchase and the first tasks of the dashboard. */
const quick = ['test/pages/firsthour.test.ts']

export const parts: Record<string, Part> = {
  pages: {
    minutes: 7,
    needs: ['chromium'],
    proves: 'Pages and screens in Chromium',
    files: ['test/pages/**/*.test.ts'],
  },
  processes: {
    minutes: 7,
    needs: ['redis'],
    proves: 'The programs as processes: starts, commands, nodes, drains, outages, upgrades',
    files: [
      'src/program/main.test.ts',
      'src/program/cli.test.ts',
      'src/program/cli/**/*.test.ts',
      'src/demo/**/*.test.ts',
      'src/extensions/sandbox/*.test.ts',
      'src/extensions/archives/commands.test.ts',
      'src/platform/postgres/{backup,backupschedule,canary,postgres,presence}.test.ts',
      'src/platform/postgres/citus/*.test.ts',
      'src/platform/ratelimit/ratelimit.test.ts',
      'src/platform/process/telemetry.test.ts',
      'src/tenancy/audit/servers.test.ts',
      'src/tenancy/emails/mails.test.ts',
      'src/extensions/examination/commands.test.ts',
      'src/extensions/explain/explain.test.ts',
      'src/developer/webhooks/delivery/worker.test.ts',
      'src/extensions/forks/*.test.ts',
      'test/{builds,cutoff,drain,eventlog,extensions,fulldisk,nodes,outage,replicas,report,twoapps,upgrade}.test.ts',
    ],
  },
  kills: {
    minutes: 2,
    needs: [],
    tries: { KILLS: '8' },
    proves: 'kill -9 during writes and imports',
    files: ['test/durability.test.ts', 'src/extensions/transfer/imports/killed.test.ts'],
  },
  races: {
    minutes: 1,
    needs: [],
    tries: { PAIRS: '1000', MONEY_RACES: '20' },
    proves: 'Any two operations at once',
    files: [
      'test/pairs.test.ts',
      'test/races.test.ts',
      'src/commerce/**/races.test.ts',
      'src/storefront/checkout/races.test.ts',
    ],
  },
  money: {
    minutes: 1,
    needs: [],
    tries: { PURCHASES: '300', PURCHASE_KILLS: '2' },
    proves: 'Purchases through a provider that fails in every way',
    files: ['test/purchases.test.ts'],
  },
  random: {
    minutes: 3,
    needs: [],
    tries: { CARTS: '1000' },
    proves: 'Random stores, files, edits, carts and sessions, compared with models',
    files: [
      'src/extensions/archives/archive.test.ts',
      'src/extensions/transfer/exports/roundtrip.test.ts',
      'src/extensions/transfer/imports/random{,reads}.test.ts',
      'src/commerce/orders/edits/random.test.ts',
      'src/extensions/ucp/sessions.test.ts',
      'test/{carts,quote}.test.ts',
    ],
  },
  requests: {
    minutes: 4,
    needs: [],
    tries: { FUZZ_CASES: '1500' },
    proves: 'Every route with random, dry, costly and damaged requests',
    files: ['test/{fuzz,rehearsal,worstrequests,worstbodies}.test.ts'],
  },
  guides: {
    minutes: 2,
    needs: ['python', 'php', 'go', 'openssl', 'redis'],
    proves: 'The examples of the README and the guides',
    files: ['test/{field,guides,operators,proxies,readme,webhooks-guide}.test.ts', 'test/sdk/guides.test.ts'],
  },
  planner: {
    minutes: 2,
    needs: [],
    proves: 'Statements that a distributed PostgreSQL refuses, and what jobs and large stores read',
    files: ['test/planner/*.test.ts', 'test/{jobs,largestore}.test.ts'],
  },
  sdk: {
    minutes: 2,
    needs: ['chromium', 'python'],
    proves: 'Both SDKs, a generated client, and command-line clients of others',
    files: [
      'test/sdk/{oracle,python,runtimes,typescript}.test.ts',
      'test/generatedclient.test.ts',
      'src/extensions/ucp/cli.test.ts',
      'src/extensions/mcp/conformance*.test.ts',
    ],
  },
  deploy: {
    minutes: 2,
    needs: ['openssl'],
    proves: 'The image, the package and the files of deploy/',
    files: ['test/{deploy,image,package,pins}.test.ts'],
  },
}

export type Plan = { core: string[]; parts: Map<string, string[]> }

/** All test files by part, relative to the root. */
export function planFiles(root: string): Plan {
  const all = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root })
  const plan: Plan = { core: [], parts: new Map(Object.keys(parts).map((name) => [name, []])) }
  for (const file of all) (plan.parts.get(findPart(file)) ?? plan.core).push(file)
  return plan
}

/** Programs that a test file drives, beyond those of npm. */
export function findNeeds(file: string): ProgramName[] {
  return quick.includes(file) ? ['chromium'] : (parts[findPart(file)]?.needs ?? [])
}

function findPart(file: string): string {
  if (quick.includes(file)) return ''
  return Object.keys(parts).find((name) => parts[name]!.files.some((pattern) => path.matchesGlob(file, pattern))) ?? ''
}
