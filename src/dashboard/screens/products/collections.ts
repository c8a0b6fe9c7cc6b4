// The collections of a product.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { collection } from '../../../commerce/catalog/collection.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { attributes, hidden } from '../../../platform/pages/parts.ts'
import { button } from '../../framework/form.ts'
import { panel } from '../../framework/parts.ts'
import type { Html, PageContext } from '../../framework/screen.ts'

const byName = { page: 1, per_page: 1000, sort: 'name', order: 'asc' } as const

export async function collectionsPanel(context: PageContext): Promise<Html | ''> {
  const { db, store, params, t, base, role, here } = context
  const [allCollections, own] = await Promise.all([
    entityPage(db, collection, store, byName),
    entityPage(db, collection, store, { ...byName, product_id: params.id! }),
  ])
  const mayWrite = mayUse(role, 'write:products')
  const rows = own.data.map(({ id, name }) => {
    const leave = { act: 'uncollect', fixed: { collection: id }, text: 'remove', kind: 'link', about: name } as const
    const out = mayWrite ? button(context, leave) : ''
    return html`<li><a class="main" href="${base}/collections/${id}">${name}</a>${out}</li>`
  })
  const others = allCollections.data.filter(({ id }) => !own.data.some((one) => one.id === id))
  const choices = others.map(({ id, name }) => html`<option value="${id}">${name}</option>`)
  const into = html`<form method="post" action="${here}" class="inline">${hidden('act', 'collect')}
<p class="field"><label for="into">${t('collection')}</label>
<select${attributes({ id: 'into', name: 'collection' })}>${choices}</select></p>
<button class="quiet">${t('add')}</button></form>`
  const hint = allCollections.data.length === 0 ? 'collections_none' : 'in_no_collection'
  const none = html`<p class="hint">${t(hint)}</p>`
  return panel(
    t('collections'),
    html`${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : none}${mayWrite && others.length > 0 ? into : ''}`,
  )
}
