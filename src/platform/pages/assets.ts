// The files of the pages: style sheets, scripts, an icon. Their address contains a hash of their content, so that
// browsers may cache them forever.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import serveFiles from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { lazy } from '../../kit/values/lazy.ts'

/** No store has the slug `_`. */
const root = '/s/_'

/** `made` gives the TypeScript files without their types, and the packages' files, under the same names. */
export type Assets = { prefix: string; folder: string; made: ReadonlyMap<string, () => Promise<Buffer | string>> }

/** The files of a folder and of packages; a change of one changes the address of all. */
export function loadAssets(folder: URL, folders: readonly URL[] = []): Assets {
  const hash = createHash('sha256')
  const builds = new Map<string, () => Promise<Buffer | string>>()
  for (const name of readdirSync(folder).sort()) {
    const bytes = readFileSync(new URL(name, folder))
    hash.update(name).update(bytes)
    // Node's compiler takes 20 MB of memory, which a service without pages should not pay.
    const text = lazy(async () => withoutTypes(bytes.toString()))
    if (name.endsWith('.ts')) builds.set(name, text)
  }
  for (const file of folders) {
    const bytes = readFileSync(file)
    hash.update(bytes)
    builds.set(basename(file.pathname), async () => bytes)
  }
  return { prefix: `${root}/${hash.digest('base64url').slice(0, 12)}`, folder: fileURLToPath(folder), made: builds }
}

/** Node strips types of all TypeScript that it loads, but warns callers of the function that its name may change. */
function withoutTypes(source: string): string {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    // Comments and types become blanks, which compress to nothing.
    return stripTypeScriptTypes(source)
  } finally {
    process.emitWarning = emitWarning
  }
}

const fonts = [
  import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
  import.meta.resolve('@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2'),
]

const own = loadAssets(
  new URL('assets/', import.meta.url),
  fonts.map((address) => new URL(address)),
)

export function assetPath(name: string, { prefix }: Assets = own): string {
  return `${prefix}/${name}`
}

/** The font of the pages for staff; most texts need no other subset of it. */
export const fontPath = (): string => assetPath('inter-latin-wght-normal.woff2')

export function iconBytes(): Buffer {
  return readFileSync(`${own.folder}icon.svg`)
}

const forGood = { maxAge: '1y', immutable: true }
const forGoodHeader = 'public, max-age=31536000, immutable'

export function serveAssets(scope: FastifyInstance, others: readonly Assets[]): void {
  for (const { prefix, folder, made } of [own, ...others]) {
    const isPlainFile = (path: string) => !path.endsWith('.ts') && !path.endsWith('/tsconfig.json')
    const options = { decorateReply: false, index: false, allowedPath: isPlainFile, ...forGood } as const
    scope.register(serveFiles, { root: folder, prefix: `${prefix}/`, ...options })
    for (const [name, content] of made) {
      scope.get(`${prefix}/${name}`, async (_request, reply) =>
        reply
          .header('cache-control', forGoodHeader)
          .type(name.endsWith('.woff2') ? 'font/woff2' : 'text/javascript; charset=utf-8')
          .send(await content()),
      )
    }
  }
}
