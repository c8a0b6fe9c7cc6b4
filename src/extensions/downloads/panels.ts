// The panels on the pages of a product and an order.
import { html } from 'hono/html'
import { sql } from '../../kit/database/sql.ts'
import { mayUse } from '../../identity/accounts/roles.ts'
import { panel } from '../../dashboard/framework/parts.ts'
import type { Html, PageContext } from '../../dashboard/framework/screen.ts'
import { listOrderGrants } from './grants.ts'
import { countKeys } from './keys.ts'

export async function showProduct(context: PageContext): Promise<Html> {
  const { db, store, ids, t, base, params } = context
  const [files, keys] = await Promise.all([
    db.rows<{ name: string }>(sql`
      select name
      from downloads_files
      where store_id = ${store.id}
        and product_id = ${ids.id}
      order by created_at, id
      limit 5`),
    countKeys(db, store.id, ids.id!),
  ])
  const free = keys.reduce((sum, one) => sum + one.free, 0)
  const facts = [
    ...(files.length === 0 && keys.length === 0 ? [t('downloads_none')] : files.map(({ name }) => name)),
    ...(keys.length > 0 ? [t('downloads_keys_left', { count: free })] : []),
  ]
  const text = html`<ul>${facts.map((fact) => html`<li>${fact}</li>`)}</ul>`
  const path = `${base}/products/${params.id!}/downloads`
  const link = html`<a class="button quiet" href="${path}">${t('downloads_manage')}</a>`
  return panel(
    t('downloads'),
    html`${facts.length > 1 ? text : html`<p class="hint">${facts[0]!}</p>`}
<p class="next">${link}</p>`,
  )
}

/** Only for an order that has granted something. */
export async function showOrder(context: PageContext): Promise<Html | ''> {
  const { db, store, ids, t, base, params, role } = context
  if (!mayUse(role, 'read:orders')) return ''
  const grants = await listOrderGrants(db, store.id, ids.id!)
  if (grants.length === 0) return ''
  const rows = grants.slice(0, 5).map(({ name, status, downloads, max_downloads }) => {
    const count = max_downloads === null ? '' : t('downloads_count_of', { count: downloads, limit: max_downloads })
    const about = [name ?? t('downloads_keys'), t(`downloads_status_${status}`), count]
    return html`<li>${about.filter(Boolean).join(' · ')}</li>`
  })
  const link = html`<a class="button quiet" href="${base}/orders/${params.id!}/downloads">${t('downloads_manage')}</a>`
  return panel(t('downloads'), html`<ul>${rows}</ul><p class="next">${link}</p>`)
}
