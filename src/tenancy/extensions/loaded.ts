// The extensions that the variable EXTENSIONS names. They are loaded before the lists of events, tables, routes and
// screens are made, which import this.
import { loadExtensions } from './load.ts'
import { toolkit } from './toolkit.ts'

const places = (process.env.EXTENSIONS ?? '').split(',').map((place) => place.trim())

export const { extensions, wrong: wrongExtensions } = await loadExtensions(places.filter(Boolean), toolkit)
