// What an import that waits for its start will do: its first records as they will be, and changes as before and after.
import { html } from 'hono/html'
import { sql } from '../../../kit/database/sql.ts'
import { isUuid, toUuid } from '../../../kit/values/ids.ts'
import { facts, mark, panel, thumbnail } from '../../../dashboard/framework/parts.ts'
import { fieldName } from '../../../dashboard/screens/audit/fieldnames.ts'
import type { Html, PageContext } from '../../../dashboard/framework/screen.ts'
import { loadMarkdown } from '../imports/markdown.ts'
import type { CustomColumn } from '../imports/customcolumns.ts'
import type { Outcome } from '../imports/import.ts'
import { handlers, nextRecords, type ImportState } from '../imports/state.ts'
import { compareUpdates, type Change, type ComparedUpdate } from '../imports/unchanged.ts'
import type { ListedImport, ShownImport } from './imports.ts'
import { nameImportField } from './words.ts'

const shownRecords = 10

/** `update`: null for a new record. */
type PreviewRecord = { input: Record<string, any>; update: ComparedUpdate | null }

/** True for an import whose rows are all decided. */
export function countsRecords({ status }: ListedImport): boolean {
  return status === 'ready' || status === 'completed'
}

/** Records by what becomes of them, and the first ones that will be written. */
export async function previewRecords(context: PageContext, one: ShownImport): Promise<Html | ''> {
  const { t } = context
  if (!countsRecords(one)) return ''
  const counts = (await countRecords(context, one)).map(
    ({ outcome, count }) => [t(`import_rows_${outcome}`), String(count)] as const,
  )
  const records = one.status === 'ready' ? await readRecords(context, one) : []
  const table = html`<table class="plain"><thead><tr><th>${t('name')}</th><th>${t('status')}</th>
<th>${t('import_preview')}</th></tr></thead>
<tbody>${records.map((record) => renderRecord(context, one, record))}</tbody></table>`
  return panel(t(`import_kind_${one.kind}`), html`${facts(counts)}${records.length > 0 ? table : ''}`)
}

async function countRecords(
  { db, store }: PageContext,
  { id }: ListedImport,
): Promise<{ outcome: Outcome; count: number }[]> {
  return db.rows(sql`
    select outcome, count(*)::int as count
    from import_rows
    where store_id = ${store.id}
      and import_id = ${toUuid('imp', id)}::uuid
      and number = record
      and outcome is not null
    group by outcome
    order by count desc`)
}

async function readRecords({ db, store, allStores }: PageContext, one: ListedImport): Promise<PreviewRecord[]> {
  const state = await db.one<ImportState>(sql`
    select id, kind, status, on_duplicate, match_by, fixes, columns, is_decimal_comma, actor, images_pending, position,
           started_at
    from imports
    where store_id = ${store.id}
      and id = ${toUuid('imp', one.id)}::uuid`)
  if (!state) return []
  const handler = handlers[state.kind]
  const time = { now: allStores.clock.now(), startedAt: null, matchBy: state.match_by }
  const toMarkdown = await loadMarkdown()
  const records = await nextRecords(db, store, state, { outcome: 'planned', size: shownRecords, toMarkdown })
  const drafts = records.map(({ rows }) => handler.draft(rows, time, store))
  await handler.resolve?.(db, store, drafts)
  const matches = await handler.find(db, store, drafts, time)
  const updates = drafts.flatMap(({ input }, at) => (matches[at] ? { match: matches[at], input } : []))
  const compared = await compareUpdates(db, store, state.kind, updates, new Map())
  return drafts.map((draft, at): PreviewRecord => {
    const update = compared.find(({ match }) => match === matches[at])
    if (update?.entity) {
      const { entity } = update
      return { input: { ...entity, ...draft.input, variants: entity.variants }, update }
    }
    draft.completeNew?.()
    return { input: draft.input, update: null }
  })
}

function renderRecord(context: PageContext, { kind, custom }: ShownImport, { input, update }: PreviewRecord): Html {
  const { t } = context
  const name = input.name ?? input.code ?? input.path ?? input.past?.order_number ?? ''
  const state = update
    ? update.isSame
      ? mark(t('import_unchanged'), 'plain')
      : mark(t('import_rows_to_update'), 'warn')
    : mark(t('import_rows_to_create'), 'good')
  const values = update
    ? update.changes.map((change) => renderChange(context, change, custom))
    : renderValues(context, input)
  const sku = input.sku ? html`<small>${input.sku}</small>` : ''
  return html`<tr><td><span class="thing">${kind === 'products' ? renderPicture(context, input) : ''}
<span>${String(name)}${sku}</span></span></td><td>${state}</td>
<td>${values}</td></tr>`
}

/** The screen loads images by https alone. */
function renderPicture({ store }: PageContext, { gallery, main_image }: Record<string, any>): Html {
  const image = gallery?.[0]?.url ?? main_image
  return thumbnail(String(image).startsWith('https://') ? image : null, store.id)
}

const longest = 60
const shorten = (value: unknown) => String(value ?? '').slice(0, longest) || '–'

/** Parts such as options and pictures are named alone; what a file gives by name has no value before. */
function renderChange(context: PageContext, change: Change, custom: readonly CustomColumn[]): Html {
  const { t } = context
  const { field, variant } = change
  const name = custom.find((one) => one.field === field)?.label ?? nameImportField(t, field)
  const label = variant === null ? name : `${variant}: ${name}`
  const after = formatValue(context, change.after)
  if (after === null) return html`<div>${label}</div>`
  const before = 'before' in change ? html`${shorten(formatValue(context, change.before))} → ` : ''
  return html`<div>${label}: ${before}<b>${shorten(after)}</b></div>`
}

/** Null for what has no short text. */
function formatValue({ t, formatTime }: PageContext, value: unknown): string | null {
  if (value instanceof Date) return formatTime(value)
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
  if (Array.isArray(value)) {
    return value.every((one) => typeof one === 'string' && !isUuid(one)) ? value.join(', ') : null
  }
  return typeof value === 'object' && value !== null ? null : String(value ?? '–')
}

/** Price, stock and options of what is new, or the little that other records have. */
function renderValues({ t }: PageContext, { variants = [], ...input }: Record<string, any>): Html {
  const shown = ['price', 'compare_price', 'stock_quantity', 'product_status', 'email', 'phone', 'value', 'target']
  const own = shown.filter((field) => input[field] !== undefined)
  const options = variants.map(({ option_values = [], price, stock_quantity }: Record<string, any>) => {
    const names = option_values.map(({ value }: { value: string }) => value).join(' / ')
    return [names, price ?? input.price, stock_quantity].filter((value) => value !== undefined).join(' · ')
  })
  return html`${own.map((field) => html`<div>${fieldName(t, field)}: ${shorten(input[field])}</div>`)}
${options.slice(0, 5).map((text: string) => html`<div><small>${text}</small></div>`)}${options.length > 5 ? '…' : ''}`
}
