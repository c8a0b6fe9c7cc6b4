// The extensions of this server: those of this repository, and those that the variable EXTENSIONS names. They are
// loaded before the lists of events, tables, routes and screens are made, which import this.
import { extensionFaults } from '../../platform/postgres/extensionmigrations.ts'
import { followEvent } from '../events/followers.ts'
import type { Extension } from './extension.ts'
import { loadExtensions } from './load.ts'
import { addStoredFiles } from './storedfiles.ts'
import { toolkit } from './toolkit.ts'

const places = (process.env.EXTENSIONS ?? '').split(',').map((place) => place.trim())
const off = places.filter((place) => place.startsWith('-')).map((place) => place.slice(1))
const repository = await importRepository()
const loaded = await loadExtensions(
  places.filter((place) => place !== '' && !place.startsWith('-')),
  toolkit,
)

/** Those of this repository. */
export const builtIn = repository.filter(({ name }) => !off.includes(name) && !off.includes('all'))

/** Those that EXTENSIONS names. */
export const outsideExtensions = loaded.extensions

export const extensions: readonly Extension[] = [...builtIn, ...outsideExtensions]

for (const { name, follows = {}, storedFiles } of extensions) {
  for (const [event, follow] of Object.entries(follows))
    followEvent(event, (...call) => (extensionFaults.has(name) ? undefined : follow(...call)))
  if (storedFiles) addStoredFiles(storedFiles)
}

/** Faults of EXTENSIONS, which the operator has to correct. */
export const wrongExtensions: readonly string[] = [
  ...loaded.wrong,
  ...off
    .filter((one) => one !== 'all' && !repository.some(({ name }) => name === one))
    .map((one) => `-${one}: this repository has no extension of this name`),
]

/** The core imports no extension: it reads their list while it starts. */
async function importRepository(): Promise<readonly Extension[]> {
  const list = new URL('../../extensions/list.ts', import.meta.url)
  return ((await import(list.href)) as { builtIn: readonly Extension[] }).builtIn
}
