// What an extension may declare: everything that it adds begins with its name, and has what the program needs of it.
import type { Route } from '../../kit/declare/route.ts'
import type { Extension } from './extension.ts'

const nameForm = /^[a-z][a-z0-9]{1,29}$/
const versionForm = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/

/** The faults of a declaration, as sentences for the operator. */
export function listDeclarationFaults(extension: Extension, stoaVersion: string): string[] {
  const { name, version, requires } = extension
  if (!nameForm.test(name)) return [`its name ${JSON.stringify(name)} is not lower-case letters and digits`]
  if (!versionForm.test(version)) return [`its version ${JSON.stringify(version)} is not three numbers`]
  if (requires !== undefined && !versionForm.test(requires))
    return [`it requires ${JSON.stringify(requires)}, which is not three numbers`]
  return [
    ...(requires && isNewer(requires, stoaVersion) ? [`it requires Stoa ${requires}, and this is ${stoaVersion}`] : []),
    ...listTableFaults(extension),
    ...listNameFaults(extension),
    ...listRouteFaults(extension),
  ]
}

function listTableFaults({ name, tables = [] }: Extension): string[] {
  return tables.flatMap((table) => {
    if (!table.store || table.store.audit === undefined || !table.placement)
      return [`its table ${table.name} has no marks: declare it by table(), and say its audit`]
    return isOwn(table.name, name, '_') ? [] : [`its table ${table.name} does not begin with ${name}_`]
  })
}

function listNameFaults({ name, events = [], routes = [], messages = {} }: Extension): string[] {
  const types = events.flatMap(({ types }) => types.map(({ type }) => type))
  const keys = Object.values(messages).flatMap((texts) => Object.keys(texts))
  return [
    ...types.filter((type) => !type.startsWith(`${name}.`)).map((type) => `its event ${type} is not ${name}.…`),
    ...routes
      .filter(({ path }) => !isOwn(path, `/${name}`, '/'))
      .map(({ path }) => `its path ${path} is not /${name}/…`),
    ...keys.filter((key) => !key.startsWith(`${name}_`)).map((key) => `its message ${key} is not ${name}_…`),
  ]
}

/** Two routes at one place, or half a route, would keep the whole server from starting. */
function listRouteFaults({ routes = [] }: Extension): string[] {
  const places = routes.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`)
  const duplicates = places.filter((place, index) => places.indexOf(place) !== index)
  const isWhole = ({ method, run, scope, returns, summary, tag }: Route) =>
    ['GET', 'POST', 'PATCH', 'DELETE'].includes(method) &&
    typeof run === 'function' &&
    [scope, returns, summary, tag].every(Boolean)
  const partial = routes.filter((route) => !isWhole(route))
  return [
    ...duplicates.map((place) => `it declares ${place} twice`),
    ...partial.map(({ path }) => `its path ${path} is not made by buildRouteVerbs() or buildCrudRoutes()`),
  ]
}

function isOwn(text: string, name: string, separator: string): boolean {
  return text === name || text.startsWith(name + separator)
}

function isNewer(version: string, other: string): boolean {
  const [one, two] = [version, other].map((text) => text.split('.').map(Number))
  const place = one!.findIndex((number, index) => number !== two![index])
  return place >= 0 && one![place]! > two![place]!
}
