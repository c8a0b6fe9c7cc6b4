// The sentences of all nouns, by their codes.
import { globSync } from 'node:fs'
import { generalFaults, type Sentence } from '../src/kit/values/faults.ts'

const root = new URL('../', import.meta.url)

export async function allSentences(): Promise<Sentence[]> {
  const modules = globSync('src/**/errors.ts', { cwd: root }).map((file) => import(new URL(file, root).href))
  const exported = (await Promise.all(modules)).flatMap((module) => Object.entries<Record<string, Sentence>>(module))
  const declared = exported.filter(([name]) => name.endsWith('Faults')).map(([, faults]) => faults)
  return [generalFaults, ...declared].flatMap((faults) => Object.values<Sentence>(faults))
}
