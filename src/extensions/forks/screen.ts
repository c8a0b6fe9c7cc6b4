// Settings > Developers > Forks: copies of the store for experiments.
import { html } from 'hono/html'
import { entityPage } from '../../kit/declare/page.ts'
import type { Entity } from '../../kit/declare/field.ts'
import { fork, maxPerStore } from './fork.ts'
import { endpoint } from '../../dashboard/framework/api.ts'
import { button } from '../../dashboard/framework/form.ts'
import { mark } from '../../dashboard/framework/parts.ts'
import { record } from '../../dashboard/framework/record.ts'
import { recordRows } from '../../dashboard/framework/recordrows.ts'
import { inSettings } from '../../dashboard/framework/placement.ts'
import type { Html, PageContext, ScreenAction } from '../../dashboard/framework/screen.ts'

const path = '/settings/developer/forks'

const create: ScreenAction = {
  route: endpoint('POST /forks'),
  inputs: [{ name: 'name', label: 'fork_name', hint: 'fork_name_hint' }],
  done: 'fork_created',
  renderResult: newForkPanel,
}

const tones = { creating: 'warn', ready: 'good', failed: 'bad' } as const

type Fork = Entity<typeof fork.fields>

// prettier-ignore
export const forksScreen = record({
  path, scope: 'read:store', title: 'forks', ...inSettings('developer', { text: 'forks_text', icon: 'copy' }),
  actions: {
    create,
    delete: {
      route: endpoint('DELETE /forks/{id}'), done: 'fork_deleted',
      confirm: { title: 'fork_delete_ask', text: 'fork_delete_text', button: 'fork_delete' },
    },
  },
  read: listForks,
  main: [
    ({ t }) => html`<p class="hint">${t('forks_about')}</p>`,
    recordRows({ label: 'forks', none: ['forks_none', 'forks_none_text'], row: renderForkRow }),
    { title: 'fork_new', id: 'new', when: ({ length }) => length < maxPerStore, isOpen: ({ length }) => length === 0,
      form: { act: 'create', button: 'fork_create' } },
    ({ t }, { length }) => length < maxPerStore ? '' : html`<p>${t('forks_full')}</p>`,
  ],
})

async function listForks({ db, store }: PageContext): Promise<Fork[]> {
  const query = { page: 1, per_page: maxPerStore, sort: 'created_at', order: 'desc', status: 'all' } as const
  return (await entityPage(db, fork, store, query)).data
}

function renderForkRow(context: PageContext, { id, name, status, error, url, key_last4, expires_at }: Fork): Html {
  const { t, formatTime } = context
  const label = name ?? id
  const about = status === 'ready' ? `${t('fork_until')}: ${formatTime(expires_at)}` : (error ?? t('fork_wait'))
  return html`<li><div><p><strong>${label}</strong> ${mark(t(`fork_${status}`), tones[status])}</p>
<p><code>${url}</code></p><p class="hint">wk_test_…${key_last4} · ${about}</p></div>
${button(context, { act: 'delete', fixed: { id, label }, text: 'fork_delete', kind: 'quiet danger' })}</li>`
}

function newForkPanel({ t, base }: PageContext, { key, url, status }: Fork & { key: string }): Html {
  return html`<div class="panel"><h2>${t(status === 'ready' ? 'fork_made' : 'fork_wait')}</h2><p>${t('fork_once')}</p>
<copy-text class="secret" label="${t('copy')}" done="${t('copied')}"><code>${key}</code></copy-text>
<h3>${t('fork_try')}</h3>
<pre tabindex="0"><code>curl -H 'X-API-Key: ${key}' ${url}/v1/test/clock --json '{"advance": 3600}'</code></pre>
<p><a class="button" href="${base}${path}">${t('key_kept')}</a></p></div>`
}
