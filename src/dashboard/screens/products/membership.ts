// The collections that a product is in.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { collection } from '../../../commerce/catalog/collection.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { attributes, hidden } from '../../../platform/pages/parts.ts'
import { button } from '../../framework/form.ts'
import { panel } from '../../framework/parts.ts'
import type { Html, Visit } from '../../framework/page.ts'

const all = { page: 1, per_page: 1000, sort: 'name', order: 'asc' } as const

export async function membership(visit: Visit): Promise<Html | ''> {
  const { db, store, params, say, base, role, here } = visit
  const [every, its] = await Promise.all([
    entityPage(db, collection, store, all),
    entityPage(db, collection, store, { ...all, product_id: params.id! }),
  ])
  const mayWrite = mayUse(role, 'write:products')
  const rows = its.data.map(({ id, name }) => {
    const leave = { act: 'uncollect', fixed: { collection: id }, text: 'take_out', kind: 'link', about: name } as const
    const out = mayWrite ? button(visit, leave) : ''
    return html`<li><a class="main" href="${base}/collections/${id}">${name}</a>${out}</li>`
  })
  const others = every.data.filter(({ id }) => !its.data.some((one) => one.id === id))
  const choices = others.map(({ id, name }) => html`<option value="${id}">${name}</option>`)
  const into = html`<form method="post" action="${here}" class="inline">${hidden('act', 'collect')}
<p class="field"><label for="into">${say('collection')}</label>
<select${attributes({ id: 'into', name: 'collection' })}>${choices}</select></p>
<button class="quiet">${say('put_in')}</button></form>`
  const none = html`<p class="hint">${say(every.data.length === 0 ? 'collections_none' : 'in_no_collection')}</p>`
  return panel(
    say('collections'),
    html`${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : none}${mayWrite && others.length > 0 ? into : ''}`,
  )
}
