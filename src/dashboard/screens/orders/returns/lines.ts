// The items of an order in the form that returns some of them: units, reason and a comment each.
import { html } from 'hono/html'
import { returnReasons } from '../../../../commerce/returns/states.ts'
import { field, fieldsNamed, type Form } from '../../../../platform/pages/form.ts'
import { aboutField, attributes, faultOf, hidden } from '../../../../platform/pages/parts.ts'
import type { Html, PageContext } from '../../../framework/screen.ts'

/** Lines with units, each with its index in the form. */
function chosenLines(form: Form): { at: number; line: object }[] {
  return fieldsNamed(form, 'item_id').flatMap((item_id, at) => {
    const text = field(form, `items.${at}.quantity`)
    if (text === '' || text === '0') return []
    const [reason, note] = [field(form, `items.${at}.reason`), field(form, `items.${at}.note`)]
    const quantity = /^\d+$/.test(text) ? Number(text) : text
    return { at, line: { item_id, quantity, ...(reason ? { reason } : {}), ...(note ? { note } : {}) } }
  })
}

/** `items` of the body. */
export function returnedLines(form: Form): object[] {
  return chosenLines(form).map(({ line }) => line)
}

/** Maps an index of the body to the field in the form. */
export function lineFieldOf(name: string, form: Form): string {
  const lines = chosenLines(form)
  return name.replace(
    /^items\.(\d+)(?:\.(\w+))?$/,
    (_, index: string, part = 'quantity') =>
      `items.${lines[Number(index)]?.at ?? index}.${part === 'item_id' ? 'quantity' : part}`,
  )
}

export type ReturnableLine = { id: string; title: string; max: number }

export function lineInputs({ t, form, rejection }: PageContext, lines: readonly ReturnableLine[]): Html {
  const rows = lines.map(({ id, title, max }, at) => {
    const [units, reason, note] = ['quantity', 'reason', 'note'].map((part) => `items.${at}.${part}`) as [
      string,
      string,
      string,
    ]
    const valueOf = (name: string) => (rejection ? field(form, name) : '')
    const about = { name: units, value: valueOf(units), inputmode: 'numeric', class: 'number', autocomplete: 'off' }
    const fault = (name: string) => rejection?.faults[name]
    const options = returnReasons.map(
      (one) => html`<option value="${one}"${attributes({ selected: valueOf(reason) === one })}>
${t(`return_reason_${one}`)}</option>`,
    )
    return html`<fieldset class="part"><legend>${title} <small>${t('at_most', { count: max })}</small></legend>
<div class="fields">${hidden('item_id', id)}
<div class="field half"><label for="${units}">${t('return_units')}</label>
<input${attributes({ id: units, ...about })}${aboutField(units, { fault: fault(units) })}>
${faultOf(units, fault(units))}</div>
<div class="field half"><label for="${reason}">${t('return_why')}</label>
<select id="${reason}" name="${reason}"${aboutField(reason, { fault: fault(reason) })}>
<option value=""></option>${options}</select>${faultOf(reason, fault(reason))}</div>
<div class="field"><label for="${note}">${t('return_note')}</label>
<input${attributes({ id: note, name: note, value: valueOf(note), maxlength: 500, autocomplete: 'off' })}
${aboutField(note, { fault: fault(note) })}>${faultOf(note, fault(note))}</div></div></fieldset>`
  })
  return html`${rows}${faultOf('items', rejection?.faults.items)}`
}
