import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'

const folder = new URL('../words/', import.meta.url)

test('no word is told twice: the second would be said everywhere', async () => {
  const nouns = new Map<string, string[]>()
  for (const file of readdirSync(folder)) {
    const parts = (await import(new URL(file, folder).href)) as Record<string, object>
    const names = Object.values(parts).flatMap((words) => Object.keys(words))
    names.forEach((name) => nouns.set(name, [...(nouns.get(name) ?? []), file]))
  }
  assert.ok(nouns.size > 500)
  assert.deepEqual(
    [...nouns].filter(([, files]) => files.length > 1),
    [],
  )
})
