// Shop > Menus: what stands in the head and the foot of the shop, in an order that is changed by keyboard and by hand.
import { html } from 'hono/html'
import { rows, rowsIn } from '../../framework/rows.ts'
import type { Html, Visit } from '../../framework/page.ts'
import { sheet } from '../../framework/sheet.ts'

const names = ['header_menu', 'footer_menu'] as const
type Entry = { label: string; link: string }
type Menus = Record<(typeof names)[number], Entry[]>

export const menuScreen = sheet({
  path: '/shop/menus',
  title: 'menus',
  section: 'shop',
  nav: {},
  api: '/store/menus',
  inputs: [],
  body: ({ form }: Visit) => Object.fromEntries(names.map((name) => [name, rowsIn(form, name, ['label', 'link'])])),
  before: ({ say }) => html`<p class="hint">${say('menus_text')}</p>`,
  more: (visit, menus: Menus) => html`${names.map((name) => menu(visit, name, menus[name]))}`,
})

function menu(visit: Visit, name: keyof Menus, values: Entry[]): Html {
  const { say } = visit
  return rows(visit, {
    name,
    act: 'save',
    title: say(name),
    values,
    columns: [
      { name: 'label', label: say('menu_label') },
      { name: 'link', label: say('menu_link') },
    ],
    isOrdered: true,
  })
}
