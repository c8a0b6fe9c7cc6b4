// Options and the table of their variants. A script adds combinations while options are typed. Without one, saving the
// product adds them, and the table ends with an empty row.
import { html } from 'hono/html'
import type { Product } from '../../../commerce/catalog/product.ts'
import { maxOptions, maxVariants } from '../../../commerce/catalog/variant.ts'
import { getCurrencyExponent } from '../../../kit/values/money.ts'
import { field } from '../../../platform/pages/form.ts'
import { aboutField, attributes, renderFieldFault, hidden } from '../../../platform/pages/parts.ts'
import { formatNumber } from '../../assets/numbers.ts'
import { renderCell } from '../../framework/cell.ts'
import { tokenList } from '../../framework/tokenlist.ts'
import { icon } from '../../framework/icons.ts'
import { countAttributes } from '../../framework/parts.ts'
import { formatTruth, listCustomFields, truthsIn, type InputTerms } from '../../framework/customfields.ts'
import { isEdited, submittedDigests } from '../../framework/merge.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import type { MessageKey } from '../../framework/messages.ts'
import { listFollowed } from './bundle.ts'
import {
  describeFields,
  optionsIn,
  listRowNumbers,
  shownStock,
  variantsInput,
  valueAt,
  variantsBody,
} from './variants.ts'

/** `fixed`: columns that follow from the parts of a bundle. */
type Row = {
  at: number | string
  id: string
  values: string[]
  texts: Record<string, string>
  isGone: boolean
  fixed?: readonly string[]
}
type OptionRow = { at: number; id: string; title: string; values: string[]; was: string[] }
type MatrixView = { options: OptionRow[]; rows: Row[] }

type Column = {
  name: string
  word?: MessageKey
  /** In place of a word: the label of a custom field. */
  label?: string
  /** `truth`: empty, or the word for yes or no. */
  mode?: 'decimal' | 'numeric' | 'box' | 'date' | 'truth'
  isMore?: boolean
  /** What an empty cell means. */
  placeholder?: string | null
  /** Texts that the cell suggests. */
  choices?: readonly string[]
}

// prettier-ignore
const ownColumns: readonly Column[] = [
  { name: 'price',                              word: 'price',                   mode: 'decimal' },
  { name: 'stock_quantity',                     word: 'stock_quantity',          mode: 'numeric' },
  { name: 'sku',                                word: 'sku' },
  { name: 'image',                              word: 'picture' },
  { name: 'barcode',                            word: 'barcode',                                  isMore: true },
  { name: 'weight',                             word: 'weight',                  mode: 'numeric', isMore: true },
  { name: 'requires_shipping',                  word: 'field_requires_shipping', mode: 'truth',   isMore: true },
  { name: 'country_of_origin',                  word: 'country_of_origin',                        isMore: true },
  { name: 'hs_code',                            word: 'hs_code',                                  isMore: true },
  { name: 'compare_price',                      word: 'compare_price',           mode: 'decimal', isMore: true },
  { name: 'unit_pricing_measure',               word: 'unit_pricing_measure',                     isMore: true },
  { name: 'manage_inventory',                   word: 'tracked',                 mode: 'box',     isMore: true },
  { name: 'low_stock_threshold',                word: 'low_at',                  mode: 'numeric', isMore: true },
  { name: 'continue_selling_when_out_of_stock', word: 'oversell',                mode: 'box',     isMore: true },
  { name: 'available_on',                       word: 'available_on',            mode: 'date',    isMore: true },
]

const maxLengths: Record<string, number> = { sku: 100, barcode: 64, country_of_origin: 60, hs_code: 25 }
const blankTexts = { manage_inventory: '', low_stock_threshold: '5' }

/** The columns of the store's custom fields. */
function toCustomColumn({ key, label, type, choices }: InputTerms): Column {
  const mode = modes[type]
  return {
    name: `custom_fields.${key}`,
    label,
    isMore: true,
    ...(mode ? { mode } : {}),
    ...(type === 'choice' ? { choices } : {}),
  }
}

const modes: Partial<Record<InputTerms['type'], Column['mode']>> = { number: 'decimal', date: 'date', boolean: 'truth' }

export async function matrix(context: PageContext, record: Product | null, act: string): Promise<Html> {
  const { t } = context
  const custom = await listCustomFields(context, 'variant')
  const truths = truthsIn(context)
  const ofProduct: Record<string, string> = {
    requires_shipping: formatTruth(truths, record?.requires_shipping ?? true),
  }
  const columns = [...ownColumns, ...custom.map(toCustomColumn)].map((column) =>
    column.mode === 'truth' ? { ...column, choices: truths, placeholder: ofProduct[column.name] ?? null } : column,
  )
  const isRefused = context.rejection?.act === act
  const matrixView =
    isRefused && isTyped(context) ? readMatrixForm(context, record, columns) : ofRecord(context, record, columns)
  const faults = isRefused ? context.rejection!.faults : {}
  const isFirst = matrixView.rows.length === 0
  const blank = blankRow('__', matrixView.options)
  const full = t('variants_too_many', { limit: maxVariants })
  const counts = countAttributes('count', (count) => t('variants_count', { count }))
  const more = { type: 'checkbox', class: 'show-more', checked: hasFaultOfMore(columns, faults) }
  return html`<variant-matrix${attributes({ 'data-most': maxVariants, 'data-too-many': full })}>
<div class="options">${matrixView.options.map((option) => optionFields(context, option, faults))}</div>
${renderFieldFault('options', faults.options)}
<p data-plain><label class="choice"><input type="checkbox" name="combine" value="1"${isFirst ? html` checked` : ''}>
<span>${t('generate_variants')}</span></label></p>
<p class="pair" data-script hidden><button type="button" class="quiet" data-do="option">${t('option_add')}</button>
<button type="button" class="quiet" data-do="missing">${t('generate_variants')}</button></p>
${hidden('variant_fields', describeFields(custom, truths, context.language))}
${fill(context, columns)}
${renderFieldFault('variants', faults.variants)}
<p><label class="choice"><input${attributes(more)}> <span>${t('columns_more')}</span></label></p>
<div class="scroll" role="region" tabindex="0" aria-label="${t('variants')}">
${table(context, columns, matrixView, faults)}</div>
<template>${renderVariantRow(context, columns, matrixView.options, { row: blank, faults: {} })}</template>
${columns.map(suggestions)}
<p class="hint" role="status" data-count${attributes(counts)}></p>
</variant-matrix>`
}

/** An error must not be in a hidden column. */
function hasFaultOfMore(columns: readonly Column[], faults: Record<string, string>): boolean {
  const names = Object.keys(faults).map((name) => /^variants\.\d+\.(.*)$/.exec(name)?.[1])
  return columns.some(({ name, isMore }) => isMore && names.includes(name))
}

function suggestions({ name, choices }: Column): Html | '' {
  if (!choices) return ''
  return html`<datalist id="of-${name}">${choices.map((one) => html`<option value="${one}"></option>`)}</datalist>`
}

/** In a conflict over other fields, untouched variants show their current state. */
function isTyped({ form, rejection }: PageContext): boolean {
  const digests = rejection?.status === 412 ? submittedDigests(form) : null
  return (
    !digests ||
    Object.entries(variantsBody(variantsInput(form))).some(([name, value]) => isEdited(digests, name, value))
  )
}

function ofRecord(context: PageContext, record: Product | null, columns: readonly Column[]): MatrixView {
  const { options = [], variants = [] } = record ?? {}
  const optionRows = Array.from({ length: maxOptions }, (_, at): OptionRow => {
    const { id = '', title = '', values = [] } = options[at] ?? {}
    return { at, id, title, values, was: values }
  })
  const rows = variants.map((variant, at) => ({
    at,
    id: variant.id,
    values: optionRows.map(({ title }) => (title ? valueAt(variant, title) : '')),
    texts: toVariantTexts(context, variant, columns),
    isGone: false,
    fixed: listFollowed(record!, variant),
  }))
  return { options: optionRows, rows }
}

function toVariantTexts(
  context: PageContext,
  variant: Product['variants'][number],
  columns: readonly Column[],
): Record<string, string> {
  const { store, language } = context
  const truths = truthsIn(context)
  const { custom_fields } = variant
  const texts = columns.map(({ name, mode }) => {
    const own = /^custom_fields\.(.*)$/.exec(name)?.[1]
    if (own !== undefined) {
      const value = custom_fields[own] ?? ''
      if (typeof value === 'number') return [name, formatNumber(value, language)]
      return [name, typeof value === 'boolean' ? formatTruth(truths, value) : String(value)]
    }
    const value = name === 'stock_quantity' ? shownStock(variant) : variant[name as keyof typeof variant]
    const decimals = mode === 'decimal' ? getCurrencyExponent(store.currency) : 0
    if (typeof value === 'number') return [name, formatNumber(value, language, decimals)]
    if (mode === 'truth' && typeof value === 'boolean') return [name, formatTruth(truths, value)]
    return [name, value === true ? '1' : value === null || value === false ? '' : String(value)]
  })
  const was = { stock_was: shownStock(variant), custom_was: JSON.stringify(custom_fields) }
  return { ...Object.fromEntries(texts), ...was }
}

/** The submitted variants. Untouched stock shows its current amount, and variants that others have added appear. */
function readMatrixForm(context: PageContext, record: Product | null, columns: readonly Column[]): MatrixView {
  const { form } = context
  const now = ofRecord(context, record, columns)
  const rows = listRowNumbers(form, 'variants').map((at): Row => {
    const read = (name: string) => field(form, `variants.${at}.${name}`)
    const id = read('id')
    const saved = now.rows.find((savedRow) => savedRow.id === id)
    const stock = saved?.texts.stock_was
    const isSame = stock !== undefined && read('stock_quantity') === read('stock_was')
    const texts = Object.fromEntries(
      [...columns.map(({ name }) => name), 'stock_was', 'custom_was'].map((name) => [name, read(name)]),
    )
    return {
      at,
      id: stock === undefined ? '' : id,
      values: now.options.map((_, index) => read(`value.${index}`)),
      texts: { ...texts, ...(isSame ? { stock_quantity: stock } : {}), ...(stock ? { stock_was: stock } : {}) },
      isGone: read('gone') !== '',
      fixed: saved?.fixed ?? [],
    }
  })
  const last = Math.max(-1, ...rows.map(({ at }) => Number(at)))
  const newRows = now.rows.filter(({ id }) => !rows.some((typedRow) => typedRow.id === id))
  const typedRows = rows.filter(({ values }) => values.some(Boolean))
  return {
    options: optionsIn(form),
    rows: [...typedRows, ...newRows.map((addedRow, index) => ({ ...addedRow, at: last + 1 + index }))],
  }
}

const blankRow = (at: number | string, options: OptionRow[]): Row => ({
  at,
  id: '',
  values: options.map(() => ''),
  texts: blankTexts,
  isGone: false,
})

function optionFields(context: PageContext, option: OptionRow, faults: Record<string, string>): Html {
  const { t } = context
  const { at, id, title, values, was } = option
  const name = `options.${at}`
  const fault = faults[`${name}.title`] ?? faults[`${name}.values`] ?? faults[name]
  const inputAttributes = attributes({
    id: `${name}-title`,
    name: `${name}.title`,
    value: title,
    maxlength: 100,
    autocomplete: 'off',
  })
  const rows = Math.min(8, Math.max(3, values.length + 1))
  const hint = html` aria-describedby="${name}-hint"`
  return html`<fieldset class="option"><legend>${t('option_number', { number: at + 1 })}</legend>
${hidden(`${name}.id`, id)}${hidden(`${name}.was`, was.join('\n'))}
<p class="field"><label for="${name}-title">${t('option_title')}</label>
<input${inputAttributes} placeholder="${t('option_title_example')}"${aboutField(name, { fault })}></p>
<div class="field"><label for="${name}-values">${t('option_values')}</label>
${tokenList(context, { id: `${name}-values`, name: `${name}.values`, values, rows, about: hint })}
<span class="hint" id="${name}-hint">${t('option_values_hint')}</span></div>
${renderFieldFault(name, fault)}</fieldset>`
}

const titleOf = (t: PageContext['t'], { word, label }: Column) => (word ? t(word) : label!)

/** Fills a column of the selected rows, or of all. */
function fill({ t }: PageContext, columns: readonly Column[]): Html {
  const choices = columns.flatMap((column) => {
    const { name, mode } = column
    const title = titleOf(t, column)
    if (mode === 'box')
      return [
        html`<option value="${name}=1">${title}: ${t('yes')}</option>`,
        html`<option value="${name}=">${title}: ${t('no')}</option>`,
      ]
    return name === 'image' ? [] : [html`<option value="${name}">${name === 'sku' ? t('sku_prefix') : title}</option>`]
  })
  return html`<fieldset class="fill" data-script hidden><legend>${t('bulk_edit')}</legend>
<div class="ticks" data-ticks data-all="${t('variants_all')}" data-none="${t('none_of_them')}"></div>
<div class="pair"><p class="field"><label for="fill-column">${t('column')}</label>
<select id="fill-column">${choices}</select></p>
<p class="field"><label for="fill-value">${t('value')}</label><input id="fill-value" autocomplete="off"></p>
<button type="button" class="quiet" data-do="fill">${t('apply')}</button></div>
<p class="hint">${t('bulk_edit_hint')}</p></fieldset>`
}

function table(
  context: PageContext,
  columns: readonly Column[],
  { options, rows }: MatrixView,
  faults: Record<string, string>,
): Html {
  const { t } = context
  const next = Math.max(-1, ...rows.map(({ at }) => Number(at))) + 1
  const last = { row: blankRow(next, options), faults: {}, isOpen: true }
  const heads = columns.map(
    (column) => html`<th scope="col"${attributes({ class: column.isMore && 'more' })}>${titleOf(t, column)}</th>`,
  )
  return html`<table class="matrix"><thead><tr>
<th class="tick" data-script hidden><span class="hidden">${t('select_variant')}</span></th>
<th scope="col">${t('variant')}</th>${heads}
<th scope="col"><span class="hidden">${t('remove')}</span></th></tr></thead>
<tbody>${rows.map((row) => renderVariantRow(context, columns, options, { row, faults }))}</tbody>
${
  options.some(({ title }) => title)
    ? html`<tbody data-plain>${renderVariantRow(context, columns, options, last)}</tbody>`
    : ''
}</table>`
}

/** `isOpen`: the option values are typed in the row. */
function renderVariantRow(
  context: PageContext,
  columns: readonly Column[],
  options: OptionRow[],
  { row, faults, isOpen = false }: { row: Row; faults: Record<string, string>; isOpen?: boolean },
): Html {
  const { t } = context
  const { at, id, values, texts, isGone } = row
  const name = `variants.${at}`
  const title = values.filter(Boolean).join(' / ')
  const own = faults[name]
  const valueFields = options.map(({ title: option }, index) =>
    isOpen && option
      ? html`<input name="${name}.value.${index}" size="8" maxlength="100" placeholder="${option}"
 aria-label="${option}, ${t('variant_new')}">`
      : hidden(`${name}.value.${index}`, values[index] ?? ''),
  )
  const remove = attributes({
    type: 'checkbox',
    name: `${name}.gone`,
    value: '1',
    checked: isGone,
    'aria-label': `${t('remove')}: ${title}`,
  })
  return html`<tr data-row><td class="tick" data-script hidden>
<input type="checkbox" data-label="${t('select_variant')}" aria-label="${t('select_variant')}, ${title}"></td>
<th scope="row"><span data-title>${title}</span>${hidden(`${name}.id`, id)}${valueFields}
${hidden(`${name}.stock_was`, texts.stock_was ?? '')}${hidden(`${name}.custom_was`, texts.custom_was ?? '')}
${own ? html`<p class="fault">${own}</p>` : ''}</th>
${columns.map((column) => cell(context, column, row, faults[`${name}.${column.name}`]))}
<td><label class="choice" data-plain><input${remove}> <span aria-hidden="true">${t('remove')}</span></label>
<button type="button" class="link" data-script hidden data-do="remove"
 data-label="${t('remove')}" aria-label="${t('remove')}, ${title}">${icon('close')}</button></td></tr>`
}

function cell(context: PageContext, column: Column, { at, values, texts, fixed = [] }: Row, fault?: string): Html {
  const { t } = context
  const { name, mode, isMore, choices, placeholder = null } = column
  const title = values.filter(Boolean).join(' / ') || t('variant_new')
  const word = titleOf(t, column)
  const isNumber = mode === 'decimal' || mode === 'numeric'
  const input = {
    name: `variants.${at}.${name}`,
    type: mode === 'box' ? 'checkbox' : mode === 'date' ? 'date' : 'text',
    value: mode === 'box' ? '1' : (texts[name] ?? ''),
    checked: mode === 'box' && texts[name] === '1',
    readonly: fixed.includes(name),
    inputmode: isNumber ? mode : null,
    class: isNumber ? 'number' : null,
    maxlength: mode === undefined || mode === 'truth' ? (maxLengths[name] ?? 2048) : null,
    list: choices ? `of-${name}` : null,
    placeholder,
    'data-label': word,
    'aria-label': `${word}, ${title}`,
  }
  const classes = [isMore && 'more', name.replace('.', '-')].filter(Boolean).join(' ')
  return html`<td class="${classes}">${renderCell(context, input, fault)}</td>`
}
