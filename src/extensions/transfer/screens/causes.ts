// The remarks of an import on its rows and columns, by cause, each with one form that fixes all of them.
import { html } from 'hono/html'
import { sql } from '../../../kit/database/sql.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { countries } from '../../../dashboard/framework/choices.ts'
import { form } from '../../../dashboard/framework/form.ts'
import { messageOr, type MessageKey } from '../../../dashboard/framework/messages.ts'
import { panel } from '../../../dashboard/framework/parts.ts'
import type { Choices, Html, PageContext } from '../../../dashboard/framework/screen.ts'
import { getCellType, listCellChoices, listMappableFields, weightUnits } from '../imports/fields.ts'
import type { RowMessage } from '../imports/notes.ts'
import { fix, maxReplacements } from './fixes.ts'
import type { ShownImport } from './imports.ts'
import { nameImportField, wordRemark } from './words.ts'

type CauseSide = 'rejected' | 'skipped' | 'written'

/** Rows with one code in one column. `cells`: the most frequent texts of their cells. */
type RowCause = Pick<RowMessage, 'column' | 'field' | 'values' | 'message'> & {
  code: string | null
  side: CauseSide
  count: number
  line: number
  cells: { cell: string; count: number }[]
}

const maxCauses = 20

/** Rejected rows first, then those that are left out or say something. */
export async function renderCauses(context: PageContext, one: ShownImport): Promise<Html> {
  const causes = await listCauses(context, one)
  const [rejections, remarks] = [true, false].map((isRejected) =>
    causes.filter(({ side }) => (side === 'rejected') === isRejected),
  ) as [RowCause[], RowCause[]]
  return html`${await renderTable(context, one, 'import_rejected', rejections)}
${await renderTable(context, one, 'import_remarks', remarks)}`
}

async function listCauses({ db, store }: PageContext, { id, columns }: ShownImport): Promise<RowCause[]> {
  const places = Object.fromEntries(columns.map(({ name }, at) => [name, at]))
  const rows = await db.rows<RowCause & { cell: string | null; total: number; first: number; place: number }>(sql`
    select code, field, "column", side, cell, sample -> 'values' as values, sample ->> 'message' as message, count,
           total, first, place
    from (
      select *, sum(count) over same as total, min(line) over same as first,
             row_number() over (partition by code, field, "column", side order by count desc, line) as place
      from (
        select each ->> 'code' as code, each ->> 'field' as field, each ->> 'column' as "column",
               case when outcome in ('rejected', 'skipped') then outcome else 'written' end as side,
               trim(cells ->> (${JSON.stringify(places)}::json ->> (each ->> 'column'))::int) as cell,
               count(*) as count, min(line) as line, (array_agg(each))[1] as sample
        from import_rows, json_array_elements(messages) as each
        where store_id = ${store.id}
          and import_id = ${toUuid('imp', id)}::uuid
        group by 1, 2, 3, 4, 5) as texts
      window same as (partition by code, field, "column", side)) as ranked
    where place <= ${maxReplacements}
    order by total desc, first, place
    limit ${maxCauses * maxReplacements}`)
  const causes = Map.groupBy(rows, ({ code, field, column, side, message }) =>
    JSON.stringify([code ?? message, field, column, side]),
  )
  return [...causes.values()].slice(0, maxCauses).map((own): RowCause => {
    const [{ total, first, ...cause }] = own as [(typeof own)[0]]
    const cells = own.flatMap(({ cell, count }) => (cell ? [{ cell, count: Number(count) }] : []))
    return { ...cause, values: cause.values ?? {}, count: Number(total), line: Number(first), cells }
  })
}

async function renderTable(
  context: PageContext,
  one: ShownImport,
  title: MessageKey,
  causes: readonly RowCause[],
): Promise<Html | ''> {
  if (causes.length === 0) return ''
  const { t } = context
  const rows = await Promise.all(
    causes.map(async (cause) => {
      const { count, line, column } = cause
      return html`<tr><td>${count}</td><td>${line}</td><td>${column ?? ''}</td><td>${wordRemark(t, cause, one.custom)}
${await renderFix(context, one, cause)}</td></tr>`
    }),
  )
  return panel(
    t(title),
    html`<table class="plain"><thead><tr><th>${t('import_rows')}</th><th>${t('import_first_line')}</th>
<th>${t('import_column')}</th><th>${t('import_message')}</th></tr></thead><tbody>${rows}</tbody></table>`,
  )
}

/** Fixes that fit the cause: other texts in its cells, another field for its column, leaving out its rows. */
async function renderFix(context: PageContext, one: ShownImport, cause: RowCause): Promise<Html | ''> {
  const { t } = context
  const { code, column, field, side } = cause
  if (one.status !== 'ready' || code === null) return ''
  const place = one.columns.findIndex(({ name }) => name === column)
  const parts =
    side === 'skipped'
      ? [code === 'exists' ? renderSubmit(t('import_fix_update'), 'update') : '']
      : [
          ...(place >= 0 ? [renderReplacements(context, one, cause), renderFieldChoice(context, one, place)] : []),
          renderSubmit(t('import_fix_skip'), 'skip'),
        ]
  if (parts.every((part) => part === '')) return ''
  const fixed = { code, ...(column === null ? {} : { column }), ...(field === null ? {} : { field }) }
  return html`<details class="more"><summary>${t('import_fix')}</summary>${await form(context, {
    act: 'fix',
    action: fix,
    button: 'apply',
    fixed,
    isLoose: true,
    content: html`${parts}`,
  })}</details>`
}

function renderSubmit(text: string, action: string): Html {
  return html`<p><button class="quiet" name="do" value="${action}">${text}</button></p>`
}

function renderReplacements(context: PageContext, one: ShownImport, { column, cells }: RowCause): Html | '' {
  const { t } = context
  const field = one.columns.find(({ name }) => name === column)?.field
  if (!field || cells.length === 0) return ''
  const choices = listReplacements(context, one, field)
  const rows = cells.map(({ cell, count }, at) => {
    const label = t('import_fix_replace_one', { text: cell.slice(0, 60), count })
    const about = attributes({ id: `to-${column}-${at}`, name: `to.${at}`, maxlength: 1000 })
    const control = choices.length === 0 ? html`<input${about}>` : renderSelect(about, ['', ''], choices)
    return html`<p class="field"><label for="to-${column}-${at}">${label}</label>
<input type="hidden" name="from.${at}" value="${cell}">${control}</p>`
  })
  return html`${rows}${renderSubmit(t('import_fix_replace'), 'replace')}`
}

/** The words that a field takes; none if its text is free. */
function listReplacements(context: PageContext, { kind }: ShownImport, field: string): Choices {
  const { t } = context
  if (field.includes('country')) return countries(context)
  if (getCellType(kind, field) === 'boolean') {
    return [
      ['true', t('yes')],
      ['false', t('no')],
    ]
  }
  return listCellChoices(kind, field)
    .map(String)
    .map((word) => [word, messageOr(t, `${field}_${word}`, messageOr(t, `status_${word}`, word))])
}

function renderSelect(
  about: Html | string,
  [none, noneText]: readonly [string, string],
  choices: Choices,
  chosen = '',
): Html {
  const options = choices.map(
    ([value, text]) => html`<option value="${value}"${value === chosen ? html` selected` : ''}>${text}</option>`,
  )
  return html`<select${about}><option value="${none}">${noneText}</option>${options}</select>`
}

/** Every field that a column can have, or leaving it out. */
export function renderFieldSelect(
  { t }: PageContext,
  { kind, columns, custom }: ShownImport,
  place: number,
  among: readonly string[] = [...listMappableFields(kind), ...custom.map((one) => one.field)],
): Html {
  const { name, field } = columns[place]!
  const choices = among.map((each) => [each, nameImportField(t, each, custom)] as const)
  const about = attributes({ name: `column.${place}`, 'aria-label': name })
  return renderSelect(about, ['', t('import_left_out')], choices, field ?? '')
}

function renderFieldChoice(context: PageContext, one: ShownImport, place: number): Html {
  const { t } = context
  return html`<p class="field"><label>${t('import_field')} ${renderFieldSelect(context, one, place)}</label></p>
${renderSubmit(t('import_fix_map'), 'map')}`
}

/** Columns that are left out although they could matter, or are read in a way that may be wrong. */
export async function renderWarnings(context: PageContext, one: ShownImport): Promise<Html | ''> {
  const { t } = context
  const notes = one.notes.map((note) => html`<p>${note}</p>`)
  const groups = await Promise.all(
    [...Map.groupBy(one.warnings, ({ code }) => code)].map(([code, warnings]) =>
      renderWarning(context, one, code, warnings),
    ),
  )
  if (groups.length === 0) return notes.length > 0 ? panel(t('import_notes'), html`${notes}`) : ''
  return panel(t('import_warnings'), html`${notes}${groups}`)
}

async function renderWarning(
  context: PageContext,
  one: ShownImport,
  code: string,
  warnings: ShownImport['warnings'],
): Promise<Html> {
  const { t } = context
  const text = messageOr(t, `import_note_${code}`, warnings[0]!.message)
  const asks = priceQuestions.includes(code)
  const isSettled = code === 'tax_added' || code === 'tax_removed' || code === 'prices_kept'
  const isFixable = one.status === 'ready' && !isSettled
  const weights = code === 'kilograms' || code === 'grams' ? ['weight', ...Object.keys(weightUnits)] : undefined
  const rows = warnings.map(({ column }) => {
    const place = one.columns.findIndex(({ name }) => name === column)
    const select = isFixable && !asks ? renderFieldSelect(context, one, place, weights) : ''
    return html`<tr><td>${column}</td><td>${select}</td></tr>`
  })
  const table = html`<p>${text}</p><table class="plain"><tbody>${rows}</tbody></table>`
  if (!isFixable) return table
  const buttons = asks
    ? [renderSubmit(t('import_fix_convert'), 'convert'), renderSubmit(t('import_fix_keep_prices'), 'keep')]
    : [renderSubmit(t('import_fix_map'), 'map'), renderSubmit(t('import_fix_keep'), 'keep')]
  return form(context, {
    act: 'fix',
    action: fix,
    button: 'apply',
    fixed: { code },
    isLoose: true,
    content: html`${table}${buttons}`,
  })
}

const priceQuestions = ['tax_excluded', 'tax_included', 'tax_unknown']
