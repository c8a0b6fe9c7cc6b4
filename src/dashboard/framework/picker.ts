// Chooses records by searching for them: what is chosen is ticked, and what is found can be ticked. Without a script
// the search sends the whole form, and the form comes back as it was typed, with what was found.
import { html } from 'hono/html'
import type { AnyResource } from '../../kit/declare/resource.ts'
import { entityPage } from '../../kit/declare/page.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { publicId, uuidOf, type Prefix } from '../../kit/values/ids.ts'
import { field } from '../../platform/pages/form.ts'
import { attributes, choice } from '../../platform/pages/parts.ts'
import { category } from '../../commerce/catalog/category.ts'
import { collection } from '../../commerce/catalog/collection.ts'
import { customer } from '../../commerce/customers/customer.ts'
import { product } from '../../commerce/catalog/product.ts'
import type { Html, Pickable, Screen, Visit } from './page.ts'
import type { Word } from './words.ts'

type Kind = {
  resource: AnyResource
  /** What the search asks for beside the words. */
  query: Record<string, unknown>
  scope: string
  section: Screen['section']
  title: Word
}

// prettier-ignore
const kinds: Record<Pickable, Kind> = {
  products:    { resource: product,    query: { status: 'all' }, scope: 'read:products',   section: 'products',
                 title: 'products' },
  categories:  { resource: category,   query: {},                scope: 'read:categories', section: 'products',
                 title: 'categories' },
  collections: { resource: collection, query: {},                scope: 'read:products',   section: 'products',
                 title: 'collections' },
  customers:   { resource: customer,   query: {},                scope: 'read:customers',  section: 'customers',
                 title: 'customers' },
}

const maximumFound = 20

type Picking = {
  /** Of the field; of which search it is the answer, the field `find.{name}` says. */
  name: string
  id: string
  label: string
  picks: Pickable
  /** Public ids of those that are chosen. */
  chosen: readonly string[]
  /** One of them, or none. */
  isSingle: boolean
  about: Html
}

export async function picker(visit: Visit, picking: Picking): Promise<Html> {
  const { say, base, refused } = visit
  const { name, id, label, picks, chosen, isSingle, about } = picking
  const typed = refused ? field(visit.form, `find.${name}`) : ''
  const [named, found] = await Promise.all([namesOf(visit, picks, chosen), typed ? search(visit, picks, typed) : null])
  const type = isSingle ? 'radio' : 'checkbox'
  const box = (value: string, text: string, checked: boolean) =>
    html`<li>${choice({ type, name, value, checked }, text)}</li>`
  const none = isSingle
    ? html`<li>${choice({ type, name, value: '', checked: chosen.length === 0 }, say('none_of_them'))}</li>`
    : ''
  const others = (found ?? []).filter((one) => !chosen.includes(one.id))
  const query = { type: 'search', name: `find.${name}`, value: typed, maxlength: 200, autocomplete: 'off' }
  const texts = { placeholder: say('pick_search'), 'aria-label': say('pick_search_of', { name: label }) }
  const own = attributes({
    from: `${base}/pick/${picks}`,
    name,
    type,
    found: say('pick_found'),
    none: say('pick_none'),
  })
  return html`<fieldset class="pick" id="${id}"${about}><legend>${label}</legend>
<record-picker${own}>
<ul class="picked">${none}${chosen.map((one) => box(one, named.get(one) ?? say('pick_gone', { id: one }), true))}</ul>
<div class="searchline"><input${attributes({ ...query, ...texts })}>
<button class="quiet" name="pick" value="${name}">${say('search')}</button></div>
<ul class="found">${others.map(({ id: value, name: text }) => box(value, text, false))}</ul>
<p class="hint" role="status">${found && others.length === 0 ? say('pick_none') : ''}</p>
</record-picker></fieldset>`
}

type Named = { id: string; name: string; note: string }

async function search({ db, store }: Visit, picks: Pickable, typed: string): Promise<Named[]> {
  const { resource, query } = kinds[picks]
  const asked = { page: 1, per_page: maximumFound, sort: 'name', order: 'asc', ...query } as const
  const { data } = await entityPage(db, resource, store, { ...asked, ...(typed ? { search: typed } : {}) })
  return data.map(({ id, name, sku, email, phone }) => ({
    id: String(id),
    name: String(name),
    note: String(sku ?? email ?? phone ?? ''),
  }))
}

/** By public id; what has gone since has no name any more. */
async function namesOf({ db, store }: Visit, picks: Pickable, ids: readonly string[]): Promise<Map<string, string>> {
  const { table, prefix } = kinds[picks].resource as { table: string; prefix: Prefix }
  const uuids = ids.map((id) => uuidOf(prefix, id)).filter((id) => id !== null)
  if (uuids.length === 0) return new Map()
  const rows = await db.rows<{ id: string; name: string }>(sql`
    select id, name
    from ${raw(table)}
    where store_id = ${store.id}
      and id = any(${uuids}::uuid[])`)
  return new Map(rows.map(({ id, name }) => [publicId(prefix, id), name]))
}

/** What the element asks while somebody types. */
export const pickScreens: readonly Screen[] = Object.entries(kinds).map(([picks, { scope, section, title }]) => ({
  path: `/pick/${picks}`,
  scope,
  section,
  title,
  isAside: true,
  async show(visit) {
    const { say, query, here } = visit
    const typed = (query.search ?? '').slice(0, 200)
    const found = await search(visit, picks as Pickable, typed)
    const rows = found.map(
      ({ id, name, note }) =>
        html`<li data-id="${id}"><span>${name}</span>${note ? html` <small>${note}</small>` : ''}</li>`,
    )
    const action = new URL(here, 'http://here').pathname
    const input = attributes({
      type: 'search',
      name: 'search',
      value: typed,
      maxlength: 200,
      'aria-label': say('search'),
    })
    return {
      content: html`<form class="find" role="search" action="${action}"><div class="searchline"><input${input}>
<button class="quiet">${say('search')}</button></div></form>
${rows.length === 0 ? html`<p>${say('pick_none')}</p>` : html`<ul class="found">${rows}</ul>`}`,
    }
  },
}))
