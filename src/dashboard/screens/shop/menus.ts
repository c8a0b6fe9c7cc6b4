// Shop > Menus: the links in the shop's header and footer, sortable with keyboard and mouse.
import { html } from 'hono/html'
import { formRows, typedRows } from '../../framework/formrows.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { settingsForm } from '../../framework/settingsform.ts'

const names = ['header_menu', 'footer_menu'] as const
type MenuRow = { label: string; link: string }
type MenuRows = Record<(typeof names)[number], MenuRow[]>

export const menuScreen = settingsForm({
  path: '/shop/menus',
  title: 'menus',
  section: 'shop',
  nav: {},
  api: '/store/menus',
  inputs: [],
  body: ({ form }: PageContext) =>
    Object.fromEntries(names.map((name) => [name, typedRows(form, name, ['label', 'link'])])),
  before: ({ t }) => html`<p class="hint">${t('menus_text')}</p>`,
  more: (context, menus: MenuRows) => html`${names.map((name) => menu(context, name, menus[name]))}`,
})

function menu(context: PageContext, name: keyof MenuRows, values: MenuRow[]): Html {
  const { t } = context
  return formRows(context, {
    name,
    act: 'save',
    title: t(name),
    values,
    columns: [
      { name: 'label', label: t('menu_label') },
      { name: 'link', label: t('menu_link') },
    ],
    isOrdered: true,
  })
}
