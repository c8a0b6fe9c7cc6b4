// Shop > Redirects: old paths of the shop, and their targets.
import { html } from 'hono/html'
import { redirect } from '../../../storefront/redirects/redirect.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { endpoint } from '../../framework/api.ts'
import { list } from '../../framework/list.ts'
import type { Html, PageContext, Screen } from '../../framework/screen.ts'
import { recordPath, settingScreens, type SettingListProps } from '../../framework/settinglist.ts'

const props: SettingListProps<typeof redirect.fields> = {
  path: '/shop/redirects',
  title: 'redirects',
  section: 'shop',
  api: '/redirects',
  resource: redirect,
  empty: { title: 'redirects_none', text: 'redirects_none_text' },
  add: 'redirect_add',
  inputs: [
    { name: 'path', label: 'redirect_path', hint: 'redirect_path_hint' },
    { name: 'target', label: 'redirect_target', hint: 'redirect_target_hint' },
  ],
  nameOf: ({ path }) => path,
}

// prettier-ignore
const redirects = list({
  path: props.path, title: props.title, section: props.section, nav: {}, scope: 'read:store',
  resource: redirect,
  exports: endpoint('GET /redirects'),
  columns: [
    { title: 'redirect_path', sort: 'path',
      cell: ({ id, path }, { base }) => html`<a class="main" href="${base}${recordPath(props, id)}">${path}</a>` },
    { title: 'redirect_target', cell: ({ target }) => target },
    { title: 'created_at', sort: 'created_at', isWide: true,
      cell: ({ created_at }, { formatTime }) => formatTime(created_at) },
  ],
  filters: [],
  empty: { ...props.empty, first: { path: `${props.path}/new`, button: 'redirect_add', scope: 'write:store' } },
  buttons,
})

function buttons({ t, base, role }: PageContext): Html | '' {
  if (!mayUse(role, 'write:store')) return ''
  return html`<a class="button" href="${base}${props.path}/new">${t('redirect_add')}</a>`
}

const [, newRedirect, redirectScreen] = settingScreens(props)

export const redirectScreens: Screen[] = [redirects, newRedirect, redirectScreen]
