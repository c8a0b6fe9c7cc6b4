// stoa routes: every endpoint with the scope and the feature that it asks for.
import type { Command } from 'commander'
import type { Route } from '../kit/declare/route.ts'
import { tables } from '../routes.ts'
import { finish, looksOnly } from './output.ts'
import type { Outcome } from './session.ts'

type Row = { method: string; path: string; scope: string; feature: string }

export function routesCommand(program: Command): void {
  program
    .command('routes')
    .description('List every endpoint: method, path, scope, feature')
    .action(() => finish(program, looksOnly, async () => listing()))
}

function listing(): Outcome {
  const routes = tables.flatMap(({ prefix, routes, isPublic }) =>
    routes.map((route) => rowOf(prefix, route, isPublic === true)),
  )
  const width = (name: keyof Row) => Math.max(...routes.map((row) => row[name].length))
  const [method, path, scope] = [width('method'), width('path'), width('scope')]
  const lines = routes.map((row) =>
    [row.method.padEnd(method), row.path.padEnd(path), row.scope.padEnd(scope), row.feature].join('  ').trimEnd(),
  )
  return { json: { routes }, text: lines.join('\n') }
}

function rowOf(prefix: string, { method, path, scope, feature }: Route, isPublic: boolean): Row {
  const [first = '', ...others] = [scope].flat()
  const needed = isPublic ? 'none' : others.length > 0 ? `${first} or ${others.length} more` : first
  return { method, path: prefix + path, scope: needed, feature: featureOf(feature) }
}

/** A feature may depend on the body. */
function featureOf(feature: Route['feature']): string {
  return typeof feature === 'function' ? 'by body' : (feature ?? '')
}
