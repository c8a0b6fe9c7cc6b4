import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import type { Words } from '../kit/values/language.ts'

const folder = new URL('words/', import.meta.url)

test('no name stands for two texts: the files of words are put together into one', async () => {
  const known = new Map<string, string>()
  const twice: string[] = []
  for (const file of readdirSync(folder)) {
    const exported = (await import(new URL(file, folder).href)) as Record<string, Words>
    for (const [name, texts] of Object.values(exported).flatMap((words) => Object.entries(words))) {
      const text = JSON.stringify(texts)
      if ((known.get(name) ?? text) !== text) twice.push(`${file}: ${name}`)
      known.set(name, text)
    }
  }
  assert.ok(known.size > 500)
  assert.deepEqual(twice, [])
})
