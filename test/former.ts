// The migrations of version 0.1, which test/versions/0.1.migrations.zst keeps as JSON.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { zstdDecompressSync } from 'node:zlib'
import type { Migration } from '../src/platform/postgres/migrations.ts'

const file = new URL('versions/0.1.migrations.zst', import.meta.url)

export function formerMigrations(): Migration[] {
  const texts: { name: string; text: string }[] = JSON.parse(zstdDecompressSync(readFileSync(file)).toString())
  return texts.map(({ name, text }) => ({ name, text, checksum: createHash('sha256').update(text).digest('hex') }))
}
