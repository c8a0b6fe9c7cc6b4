// stoa routes: every endpoint with the scope and the feature it requires.
import type { Command } from 'commander'
import type { Route } from '../../kit/declare/route.ts'
import { runCommand, readOnlyReason } from './output.ts'
import type { CommandResult } from './session.ts'

type RouteRow = { method: string; path: string; scope: string; feature: string }

export function routesCommand(program: Command): void {
  program
    .command('routes')
    .description('List all endpoints with method, path, scope and plan feature')
    .action(() => runCommand(program, readOnlyReason, listing))
}

async function listing(): Promise<CommandResult> {
  // Imported here because all routes take longer to load than most commands take to run.
  const { tables } = await import('../tables.ts')
  const routes = tables.flatMap(({ prefix, routes, isPublic }) =>
    routes.map((route) => toRouteRow(prefix, route, isPublic === true)),
  )
  const width = (name: keyof RouteRow) => Math.max(...routes.map((row) => row[name].length))
  const [method, path, scope] = [width('method'), width('path'), width('scope')]
  const lines = routes.map((row) =>
    [row.method.padEnd(method), row.path.padEnd(path), row.scope.padEnd(scope), row.feature].join('  ').trimEnd(),
  )
  return { json: { routes }, text: lines.join('\n') }
}

function toRouteRow(prefix: string, { method, path, scope, feature }: Route, isPublic: boolean): RouteRow {
  const requirement = isPublic ? 'none' : [scope].flat().join(' or ')
  return { method, path: prefix + path, scope: requirement, feature: formatFeature(feature) }
}

/** A feature may depend on the body. */
function formatFeature(feature: Route['feature']): string {
  return typeof feature === 'function' ? 'by body' : (feature ?? '')
}
