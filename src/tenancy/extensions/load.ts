// Loads the extensions that EXTENSIONS names: folders, or npm packages installed beside the server.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ApiError } from '../../kit/values/errors.ts'
import { extensionFaults, extensionMigrations } from '../../platform/postgres/extensionmigrations.ts'
import { version as stoaVersion } from '../../platform/process/version.ts'
import { listDeclarationFaults } from './check.ts'
import type { Extension } from './extension.ts'

export type Loaded = {
  extensions: readonly Extension[]
  /** Declarations that the operator has to correct before the server starts. */
  wrong: readonly string[]
}

/** An extension that throws while it is loaded is off, and the server does without it. */
export async function loadExtensions(places: readonly string[], toolkit: object): Promise<Loaded> {
  const extensions: Extension[] = []
  const wrong: string[] = []
  for (const place of places) {
    const folder = findFolder(place)
    if (!folder) {
      wrong.push(`${place}: neither a folder with a package.json nor an installed package`)
      continue
    }
    try {
      const extension = await openExtension(folder, toolkit)
      const isRepeated = extensions.some(({ name }) => name === extension.name)
      const faults = isRepeated
        ? [`another extension is also named ${extension.name}`]
        : listDeclarationFaults(extension, stoaVersion)
      wrong.push(...faults.map((fault) => `${place}: ${fault}`))
      if (faults.length > 0) continue
      registerMigrations(extension)
      extensions.push(guardExtension(extension))
    } catch (error) {
      turnOff(place, error, 'failed to load')
    }
  }
  return { extensions, wrong }
}

function registerMigrations({ name, migrations, tables = [] }: Extension): void {
  if (!migrations) return
  extensionMigrations.set(name, { folder: fileURLToPath(migrations), tables: tables.map((table) => table.name) })
}

/** A package is looked for in node_modules of the current folder and of those above it. */
function findFolder(place: string): string | undefined {
  const packages: string[] = []
  for (let folder = process.cwd(); ; folder = path.dirname(folder)) {
    packages.push(path.join(folder, 'node_modules', place))
    if (folder === path.dirname(folder)) break
  }
  const isPackageName = /^[@a-z\d]/.test(place)
  const folders = [path.resolve(place), ...(isPackageName ? packages : [])]
  return folders.find((folder) => existsSync(path.join(folder, 'package.json')))
}

type Package = { version?: string; main?: string }

/** The module exports `extension`: a declaration, or a function that makes one with the toolkit. */
async function openExtension(folder: string, toolkit: object): Promise<Extension> {
  const { version, main = 'index.js' } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Package
  const { extension } = (await import(pathToFileURL(path.join(folder, main)).href)) as { extension?: unknown }
  const declaration: unknown = typeof extension === 'function' ? await extension(toolkit) : extension
  if (typeof declaration !== 'object' || declaration === null) throw new Error(`${main} does not export extension`)
  return { version, ...declaration } as Extension
}

export function turnOff(name: string, error: unknown, what: string): void {
  extensionFaults.set(name, `it ${what}: ${error instanceof Error ? error.message : String(error)}`)
}

/** While an extension is off, its endpoints answer 503, its jobs pause, and its tables are not touched. */
function guardExtension(extension: Extension): Extension {
  const { name, routes = [], jobs, tables = [], screens } = extension
  const isOff = () => extensionFaults.has(name)
  return {
    ...extension,
    routes: routes.map((route) => ({
      ...route,
      run(call: any) {
        if (isOff()) throw new ApiError(503, 'UNAVAILABLE', `The extension ${name} is off; see: stoa doctor`)
        return route.run(call)
      },
    })),
    jobs: async (parts) =>
      ((await jobs?.(parts)) ?? []).map((job) => ({
        ...job,
        name: `${name}: ${job.name}`,
        run: async (tx) => (isOff() ? undefined : job.run(tx)),
      })),
    tables: tables.map((table) => {
      const { store } = table
      const erase = store?.erasure
      if (!store || typeof erase !== 'function') return table
      return { ...table, store: { ...store, erasure: (...call) => (isOff() ? undefined : erase(...call)) } }
    }),
    async screens(pages) {
      try {
        return (await screens?.(pages)) ?? []
      } catch (error) {
        turnOff(name, error, 'failed to make its screens')
        return []
      }
    },
  }
}
