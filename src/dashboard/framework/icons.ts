// Icons: inline Lucide strokes in the color of the text beside them. They add no meaning to
// the text.
import { readFileSync } from 'node:fs'
import { html, raw } from 'hono/html'
import { attributes } from '../../platform/pages/parts.ts'
import type { Html } from '../../platform/pages/page.ts'

/** Our name → its name at Lucide. */
// prettier-ignore
const drawings = {
  home: 'house', orders: 'shopping-bag', products: 'package', customers: 'users', discounts: 'badge-percent',
  carts: 'shopping-cart', reports: 'chart-column', shop: 'store', settings: 'settings',
  search: 'search', filter: 'list-filter', menu: 'menu', more: 'ellipsis', add: 'plus', close: 'x', check: 'check',
  up: 'arrow-up', down: 'arrow-down', left: 'arrow-left', right: 'arrow-right', drag: 'grip-vertical',
  back: 'chevron-left', next: 'chevron-right', choose: 'chevrons-up-down', open_menu: 'chevron-down',
  external: 'external-link',
  download: 'download', print: 'printer', edit: 'pencil', undo: 'undo-2', view: 'eye',
  open: 'circle', done: 'circle-check', failed: 'circle-x', warning: 'triangle-alert', info: 'info', inbox: 'inbox',
  sign_out: 'log-out', keys: 'keyboard', glossary: 'book-open', account: 'user-round', language: 'languages',
  bell: 'bell', image: 'image', tag: 'tag', truck: 'truck', card: 'credit-card', receipt: 'receipt', tax: 'landmark',
  percent: 'percent', mail: 'mail', contact: 'phone', plan: 'gauge', key: 'key-round',
  webhook: 'webhook', event: 'activity', request: 'terminal', proposal: 'git-pull-request', app: 'blocks',
  code: 'braces', team: 'id-card', security: 'shield-check', audit: 'scroll-text',
  palette: 'palette', page: 'file-text', globe: 'globe', stock: 'warehouse', folder: 'folder',
  copy: 'copy', fields: 'text-cursor-input', gift: 'gift', clock: 'clock',
  bold: 'bold', italic: 'italic', heading: 'heading', list: 'list', numbers: 'list-ordered', link: 'link',
} as const
export type IconName = keyof typeof drawings

/** The style sheet sets these for all icons. */
const commonAttributes =
  ' fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="2"'

type Strokes = Record<IconName, string>

let strokes: Strokes | undefined

/** Reads them at the first use, because a service without pages needs none. */
function readStrokes(): Strokes {
  const file = new URL(import.meta.resolve('@iconify-json/lucide/icons.json'))
  const { icons } = JSON.parse(readFileSync(file, 'utf8')) as { icons: Record<string, { body: string } | undefined> }
  const pairs = Object.entries(drawings).map(([name, drawing]) => {
    const { body } = icons[drawing] ?? {}
    if (!body) throw new Error(`Lucide has no icon ${drawing}`)
    return [name, body.replaceAll(commonAttributes, '').replace(/^<g>(.*)<\/g>$/, '$1')]
  })
  return Object.fromEntries(pairs) as Strokes
}

export const iconNames = Object.keys(drawings) as IconName[]

export function icon(name: IconName, kind = ''): Html {
  const about = attributes({ class: kind ? `icon ${kind}` : 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' })
  return html`<svg${about}>${raw((strokes ??= readStrokes())[name])}</svg>`
}

/** An icon whose text only screen readers read out. */
export function iconAlone(name: IconName, text: string): Html {
  return html`${icon(name)}<span class="hidden">${text}</span>`
}
