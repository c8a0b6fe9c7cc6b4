// The parts of test:deep: every test file runs once, and docs/testing.md says how long a part takes.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { parts, planFiles } from './parts.ts'
import { root } from './server.ts'

test('each pattern of a part finds a file, and no file is in two parts', () => {
  const owner = new Map<string, string>()
  for (const [name, { files }] of Object.entries(parts))
    for (const pattern of files) {
      const found = globSync(pattern, { cwd: root })
      assert.ok(found.length > 0, `${name}: ${pattern} finds no file`)
      for (const file of found) {
        assert.ok(!owner.has(file), `${file} is in ${owner.get(file)} and in ${name}`)
        owner.set(file, name)
      }
    }
  const plan = planFiles(root)
  const planned = [...plan.core, ...[...plan.parts.values()].flat()].sort()
  assert.deepEqual(planned, globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root }).sort())
})

test('docs/testing.md lists the parts with their minutes', () => {
  const text = readFileSync(path.join(root, 'docs/testing.md'), 'utf8')
  for (const [name, { minutes, proves }] of Object.entries(parts))
    assert.ok(text.includes(`| \`${name}\` | ${minutes} | ${proves} |`), `| \`${name}\` | ${minutes} | ${proves} |`)
})

test('random choices come from test/random.ts, whose seed is fixed', () => {
  const files = globSync(['src/**/*.test.ts', 'test/**/*.ts'], { cwd: root }).filter(
    (file) => !/^test\/(random|prove|parts\.test)\.ts$|^test\/parts\.test\.ts$/.test(file),
  )
  const drawing = files.filter((file) =>
    /Math\.random|from 'fast-check'|randomInt/.test(readFileSync(path.join(root, file), 'utf8')),
  )
  assert.deepEqual(drawing, [])
})
