// Chooses records by search: chosen and found records are checkboxes. Without a script
// the search submits the whole form, which comes back with its input and the results.
import { html } from 'hono/html'
import type { AnyResource } from '../../kit/declare/resource.ts'
import { entityPage } from '../../kit/declare/page.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { publicId, toUuid, type Prefix } from '../../kit/values/ids.ts'
import { field } from '../../platform/pages/form.ts'
import { attributes, choice } from '../../platform/pages/parts.ts'
import { category } from '../../commerce/catalog/category.ts'
import { collection } from '../../commerce/catalog/collection.ts'
import { customer } from '../../commerce/customers/customer.ts'
import { product } from '../../commerce/catalog/product.ts'
import type { Html, PickableKind, Screen, PageContext } from './screen.ts'
import type { MessageKey } from './messages.ts'

type PickerKind = {
  resource: AnyResource
  /** The query of the search besides the text. */
  query: Record<string, unknown>
  scope: string
  section: Screen['section']
  title: MessageKey
}

// prettier-ignore
const pickerKinds: Record<PickableKind, PickerKind> = {
  products:    { resource: product,    query: { status: 'all' }, scope: 'read:products',   section: 'products',
                 title: 'products' },
  categories:  { resource: category,   query: {},                scope: 'read:categories', section: 'products',
                 title: 'categories' },
  collections: { resource: collection, query: {},                scope: 'read:products',   section: 'products',
                 title: 'collections' },
  customers:   { resource: customer,   query: {},                scope: 'read:customers',  section: 'customers',
                 title: 'customers' },
}

const maxResults = 20

type PickerProps = {
  /** The field's name. The field `find.{name}` tells which search was submitted. */
  name: string
  id: string
  label: string
  picks: PickableKind
  /** Public IDs of the chosen records. */
  chosen: readonly string[]
  /** True for at most one record. */
  isSingle: boolean
  about: Html
}

export async function picker(context: PageContext, props: PickerProps): Promise<Html> {
  const { t, base, rejection } = context
  const { name, id, label, picks, chosen, isSingle, about } = props
  const input = rejection ? field(context.form, `find.${name}`) : ''
  const [names, records] = await Promise.all([
    findPickedNames(context, picks, chosen),
    input ? search(context, picks, input) : null,
  ])
  const type = isSingle ? 'radio' : 'checkbox'
  const box = (value: string, text: string, isChecked: boolean) =>
    html`<li>${choice({ type, name, value, checked: isChecked }, text)}</li>`
  const none = isSingle
    ? html`<li>${choice({ type, name, value: '', checked: chosen.length === 0 }, t('none_of_them'))}</li>`
    : ''
  const others = (records ?? []).filter((one) => !chosen.includes(one.id))
  const query = { type: 'search', name: `find.${name}`, value: input, maxlength: 200, autocomplete: 'off' }
  const texts = { placeholder: t('pick_search'), 'aria-label': t('pick_search_of', { name: label }) }
  const own = attributes({
    from: `${base}/pick/${picks}`,
    name,
    type,
    found: t('pick_found', { count: '{count}' }),
    none: t('pick_none'),
  })
  return html`<fieldset class="pick" id="${id}"${about}><legend>${label}</legend>
<record-picker${own}>
<ul class="picked">${none}${chosen.map((one) => box(one, names.get(one) ?? t('pick_gone', { id: one }), true))}</ul>
<div class="searchline"><input${attributes({ ...query, ...texts })}>
<button class="quiet" name="pick" value="${name}">${t('search')}</button></div>
<ul class="found">${others.map(({ id: value, name: text }) => box(value, text, false))}</ul>
<p class="hint" role="status">${records && others.length === 0 ? t('pick_none') : ''}</p>
</record-picker></fieldset>`
}

type PickerRecord = { id: string; name: string; note: string }

async function search({ db, store }: PageContext, picks: PickableKind, input: string): Promise<PickerRecord[]> {
  const { resource, query } = pickerKinds[picks]
  const pickerQuery = { page: 1, per_page: maxResults, sort: 'name', order: 'asc', ...query } as const
  const { data } = await entityPage(db, resource, store, { ...pickerQuery, ...(input ? { search: input } : {}) })
  return data.map(({ id, name, sku, email, phone }) => ({
    id: String(id),
    name: String(name),
    note: String(sku ?? email ?? phone ?? ''),
  }))
}

/** Names by public ID. Deleted records have none. */
async function findPickedNames(
  { db, store }: PageContext,
  picks: PickableKind,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { table, prefix } = pickerKinds[picks].resource as { table: string; prefix: Prefix }
  const uuids = ids.map((id) => toUuid(prefix, id)).filter((id) => id !== null)
  if (uuids.length === 0) return new Map()
  const rows = await db.rows<{ id: string; name: string }>(sql`
    select id, name
    from ${raw(table)}
    where store_id = ${store.id}
      and id = any(${uuids}::uuid[])`)
  return new Map(rows.map(({ id, name }) => [publicId(prefix, id), name]))
}

/** The element's search requests during typing. */
export const pickScreens: readonly Screen[] = Object.entries(pickerKinds).map(([picks, { scope, section, title }]) => ({
  path: `/pick/${picks}`,
  scope,
  section,
  title,
  isUnlisted: true,
  async show(context) {
    const { t, query, here } = context
    const searchText = (query.search ?? '').slice(0, 200)
    const records = await search(context, picks as PickableKind, searchText)
    const rows = records.map(
      ({ id, name, note }) =>
        html`<li data-id="${id}"><span>${name}</span>${note ? html` <small>${note}</small>` : ''}</li>`,
    )
    const action = new URL(here, 'http://here').pathname
    const input = attributes({
      type: 'search',
      name: 'search',
      value: searchText,
      maxlength: 200,
      'aria-label': t('search'),
    })
    return {
      content: html`<form class="find" role="search" action="${action}"><div class="searchline"><input${input}>
<button class="quiet">${t('search')}</button></div></form>
${rows.length === 0 ? html`<p>${t('pick_none')}</p>` : html`<ul class="found">${rows}</ul>`}`,
    }
  },
}))
