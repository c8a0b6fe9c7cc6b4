// The store's custom fields on the checkout page. Without a script they are inputs like the others.
import { html } from 'hono/html'
import { maxAnswer, type AnswerChanges, type AskedField } from '../../checkout/offers/answers.ts'
import { aboutField, attributes, renderFieldFault } from '../../../platform/pages/parts.ts'
import type { Form } from '../../../platform/pages/form.ts'
import { field, type Html, type ShopContext } from '../frame/page.ts'
import type { CheckoutParts } from './props.ts'

/** The name of its input, which is the name that a fault has. */
export const inputName = ({ key }: Pick<AskedField, 'key'>) => `custom_fields.${key}`

/** The answers in the form, by the keys of their fields. */
export function readAnswerTexts(form: Form, asked: readonly AskedField[]): Record<string, string> {
  return Object.fromEntries(asked.map((one) => [one.key, field(form, inputName(one))]))
}

/** A box that isn’t ticked is left out. A text that isn’t a number stays one, so that it is reported. */
export function readAnswers(
  form: Form,
  asked: readonly AskedField[],
  isFaulty: (name: string) => boolean,
): AnswerChanges {
  const own = asked.filter((one) => (one.type === 'boolean' || inputName(one) in form) && !isFaulty(inputName(one)))
  return Object.fromEntries(own.map((one) => [one.key, readAnswer(one, field(form, inputName(one)).trim())]))
}

function readAnswer({ type }: AskedField, text: string): AnswerChanges[string] {
  if (text === '') return null
  if (type === 'boolean') return true
  const number = Number(text.replace(',', '.'))
  return type === 'number' && Number.isFinite(number) ? number : text
}

export function answerFields(parts: CheckoutParts): Html | '' {
  const { t, offer } = parts.context
  if (offer.custom_fields.length === 0) return ''
  return html`<section id="answers"><h2>${t('answers')}</h2><div class="fields">
${offer.custom_fields.map(
  (one) => html`<div>${one.type === 'boolean' ? box(parts, one) : labeled(parts, one)}
${renderFieldFault(inputName(one), parts.errors[inputName(one)])}</div>`,
)}</div></section>`
}

function box(parts: CheckoutParts, one: AskedField): Html {
  const { t } = parts.context
  const own = { type: 'checkbox', value: 'true', checked: parts.values.answers[one.key] === 'true' }
  const note = one.is_required ? '' : html` <small>${t('optional')}</small>`
  return html`<label class="choice"><input${attributes({ ...shared(one), ...own })}${about(parts, one, false)}>
<span>${one.label}${note}${one.description ? html`<small>${one.description}</small>` : ''}</span></label>`
}

function labeled(parts: CheckoutParts, one: AskedField): Html {
  const { t } = parts.context
  const name = inputName(one)
  const hint = one.description ? html`<span class="hint" id="${name}-hint">${one.description}</span>` : ''
  const note = one.is_required ? '' : html`<small>${t('optional')}</small>`
  return html`<p class="field"><label for="${name}">${one.label} ${note}</label>
${control(parts, one)}${hint}</p>`
}

function shared(one: AskedField) {
  const name = inputName(one)
  return { id: name, name, autocomplete: 'off', 'aria-required': one.is_required && 'true' }
}

function about({ errors, focusField }: CheckoutParts, one: AskedField, hasHint: boolean): Html {
  const name = inputName(one)
  return aboutField(name, {
    fault: errors[name],
    hint: hasHint ? (one.description ?? undefined) : undefined,
    focus: focusField === name,
  })
}

const inputs = {
  number: { type: 'text', inputmode: 'decimal', maxlength: 40 },
  date: { type: 'date' },
  url: { type: 'url', maxlength: maxAnswer },
  color: { type: 'text', maxlength: 7, placeholder: '#1a2b3c' },
} as const

function control(parts: CheckoutParts, one: AskedField): Html {
  const value = parts.values.answers[one.key] ?? ''
  const notes = about(parts, one, true)
  if (one.type === 'choice') return select(parts.context, one, value, notes)
  const input = inputs[one.type as keyof typeof inputs]
  if (input) return html`<input${attributes({ ...shared(one), ...input, value })}${notes}>`
  return html`<textarea rows="2"${attributes({ ...shared(one), maxlength: maxAnswer })}${notes}>
${value}</textarea>`
}

function select({ t, translateTerm }: ShopContext, one: AskedField, value: string, notes: Html): Html {
  const options = one.choices.map(
    (text) => html`<option${attributes({ value: text, selected: text === value })}>${translateTerm(text)}`,
  )
  return html`<select${attributes(shared(one))}${notes}><option value="">${t('province_choose')}${options}</select>`
}
