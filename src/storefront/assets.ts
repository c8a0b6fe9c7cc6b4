// The few files of the pages. Their names carry a hash of what is in them, so that browsers may keep them for good.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

export type Asset = { path: string; type: string; bytes: Buffer; gzipped: Buffer }

/** `_` is no store's slug. */
const folder = '/s/_'

function asset(name: string, type: string, lean: (text: string) => string = (text) => text): Asset {
  const bytes = Buffer.from(lean(readFileSync(new URL(name, import.meta.url), 'utf8')))
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 12)
  return { path: `${folder}/${name.replace('.', `-${hash}.`)}`, type, bytes, gzipped: gzipSync(bytes, { level: 9 }) }
}

/** Comments and spaces between rules weigh a quarter of a style sheet. */
function leanStyle(css: string): string {
  return css
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,]) ?/g, '$1')
    .replaceAll(': ', ':')
    .replaceAll(/;}/g, '}')
    .trim()
}

function leanScript(script: string): string {
  return script.replaceAll(/^\s*\/\/.*\n/gm, '').replaceAll(/^\s+/gm, '')
}

export const style = asset('style.css', 'text/css; charset=utf-8', leanStyle)
/** Beside it, on the pages of the catalogue: the checkout is the lighter for it. */
export const catalogue = asset('catalogue.css', 'text/css; charset=utf-8', leanStyle)
export const script = asset('script.js', 'text/javascript; charset=utf-8', leanScript)
export const icon = asset('icon.svg', 'image/svg+xml')

export const assets = [style, catalogue, script, icon]
