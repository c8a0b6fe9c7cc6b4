// The few files of the pages: style sheets, a script, an icon. Their address carries a hash of what is in them, so that
// browsers may keep them for good.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import serveFiles from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** `_` is no store's slug. */
const root = '/s/_'

export type Assets = { prefix: string; folder: string }

/** The files of a folder; a change of one changes the address of all. */
export function assetsOf(folder: URL): Assets {
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(new URL(name, folder)))
  return { prefix: `${root}/${hash.digest('base64url').slice(0, 12)}`, folder: fileURLToPath(folder) }
}

const own = assetsOf(new URL('assets/', import.meta.url))

export function assetPath(name: string, { prefix }: Assets = own): string {
  return `${prefix}/${name}`
}

export function iconBytes(): Buffer {
  return readFileSync(`${own.folder}icon.svg`)
}

export function serveAssets(scope: FastifyInstance, others: readonly Assets[]): void {
  for (const { prefix, folder } of [own, ...others]) {
    const forGood = { maxAge: '1y', immutable: true }
    scope.register(serveFiles, { root: folder, prefix: `${prefix}/`, decorateReply: false, index: false, ...forGood })
  }
}
