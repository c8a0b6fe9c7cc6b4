// The extensions that EXTENSIONS names: their state for the log and for stoa doctor.
import { scopes } from '../identity/apikeys/scopes.ts'
import { ConfigurationError } from '../kit/values/configuration.ts'
import { extensionFaults, type RemovedExtension } from '../platform/postgres/extensionmigrations.ts'
import { checkExtensionsOf } from '../platform/postgres/migrate.ts'
import type { Log } from '../platform/process/log.ts'
import type { Extension } from '../tenancy/extensions/extension.ts'
import { outsideExtensions, builtIn, wrongExtensions } from '../tenancy/extensions/loaded.ts'

/** Rejects declarations that the operator has to correct. */
export function requireRightExtensions(): void {
  const names = new Set(builtIn.map(({ name }) => name))
  const wrong = [
    ...wrongExtensions,
    ...outsideExtensions.filter(({ name }) => names.has(name)).map(({ name }) => `the name ${name} is taken`),
    ...outsideExtensions.flatMap(listScopeFaults),
  ]
  if (wrong.length === 0) return
  const lines = wrong.map((fault) => `  EXTENSIONS: ${fault}`)
  throw new ConfigurationError(`The configuration is invalid:\n${lines.join('\n')}`)
}

function listScopeFaults({ name, routes = [], events = [] }: Extension): string[] {
  const scopesUsed = [...routes, ...events.flatMap(({ types }) => types)].flatMap(({ scope }) => scope)
  const unknownScopes = new Set(scopesUsed.filter((scope) => !scopes.some((one) => one === scope)))
  return [...unknownScopes].map((scope) => `${name}: there is no scope ${scope}`)
}

export type ExtensionState = { name: string; ok: boolean; detail: string }

/** Turns off the extensions that do not fit the database, and tells about all. */
export async function checkExtensions(databaseUrl: string): Promise<ExtensionState[]> {
  const absent = await checkExtensionsOf(databaseUrl)
  const on = outsideExtensions.filter(({ name }) => !extensionFaults.has(name))
  return [
    ...on.map(({ name, version }) => ({ name, ok: true, detail: `${version}, on` })),
    ...[...extensionFaults].map(([name, reason]) => ({ name, ok: false, detail: describeFault(name, reason) })),
    ...absent.map(({ name, filledTables }) => ({ name, ...describeRemoved(name, filledTables) })),
  ]
}

export async function logExtensions(databaseUrl: string, log: Log): Promise<void> {
  for (const { name, ok, detail } of await checkExtensions(databaseUrl)) {
    if (ok) log.info({ extension: name, state: detail }, 'extension')
    else log.error({ extension: name, state: detail }, 'an extension is off; see: stoa doctor')
  }
}

function describeFault(name: string, reason: string): string {
  const version = outsideExtensions.find((extension) => extension.name === name)?.version
  return `${version ? `${version}, ` : ''}off: ${reason}`
}

/** Its rows are kept, but they are not erased with their person and do not move with their store. */
function describeRemoved(name: string, filledTables: RemovedExtension['filledTables']) {
  if (filledTables.length === 0) return { ok: true, detail: 'not in EXTENSIONS; its tables are empty' }
  const tables = filledTables.join(', ')
  const advice = `Name it in EXTENSIONS again, or drop its tables and the rows ${name}/… of the table migrations`
  return { ok: false, detail: `not in EXTENSIONS, but ${tables} still has rows. ${advice}` }
}
