// The control of a form's input, chosen by the type that the API's schema gives it.
import { html } from 'hono/html'
import type { JsonSchema } from '../../kit/declare/field.ts'
import { getCurrencyExponent } from '../../kit/values/money.ts'
import { formatLocalTime } from '../../kit/values/timezone.ts'
import { attributes, choice } from '../../platform/pages/parts.ts'
import { formatNumber } from '../assets/numbers.ts'
import { listSchemaChoices, isNullable, getSchemaType } from './inputs.ts'
import { messageOr } from './messages.ts'
import { picker } from './picker.ts'
import type { Choices, FormInput, Html, PageContext, SpecialControl } from './screen.ts'
import { specialControl, specialControls } from './specialcontrols.ts'

type ControlProps = {
  context: PageContext
  input: FormInput
  schema: JsonSchema
  id: string
  label: string
  value: unknown
  /** True if a select keeps its empty choice, also after a rejected one. */
  hasBlank: boolean
  usual: unknown
  about: Html
}

export async function renderControl(control: ControlProps): Promise<Html> {
  const { context, input, schema, id, label, value, usual, about } = control
  const type = getSchemaType(schema)
  if (input.picks) {
    const values = [value ?? []].flat().map(String).filter(Boolean)
    return picker(context, {
      name: input.name,
      id,
      label,
      picks: input.picks,
      chosen: values,
      isSingle: type !== 'array',
      about,
    })
  }
  if (isSpecial(input.as)) {
    const { name, as, rows } = input
    const maxlength = schema.maxLength as number | undefined
    const suggestions = ((await input.suggests?.(context)) ?? []).map(([text]) => text)
    const special = { context, id, name, label, value, about, maxlength, suggestions }
    return specialControl(as, { ...special, ...(rows ? { rows } : {}) })
  }
  const options = input.options ? await input.options(context) : listControlOptions(context, input, schema)
  const isChoice = input.options !== undefined || options.length > 0
  if (type === 'boolean' && !isChoice)
    return choice({ type: 'checkbox', name: input.name, value: '1', checked: value === true || value === '1' }, label)
  if (input.as === 'boxes' || input.as === 'radios' || input.as === 'cards') return boxes(control, options)
  const name = html`<label for="${id}">${label}</label>`
  if (isChoice) return html`${name}${select(control, options)}`
  const placeholder = usual ? formatControlValue(context, input, usual, schema) : null
  const own = { id, name: input.name, maxlength: schema.maxLength as number | undefined, placeholder }
  const text = formatControlValue(context, input, value, schema)
  if (input.as === 'area')
    return html`${name}<textarea${attributes({ rows: input.rows ?? 4, ...own })}${about}>
${text}</textarea>`
  if (input.as === 'password' || input.as === 'code')
    return html`${name}<input${attributes({ ...own, ...secretKinds[input.as] })}${about}>`
  const isNumber = type === 'number' || type === 'integer'
  const kind = {
    type: inputTypes[String(schema.format)] ?? 'text',
    inputmode: isNumber ? (type === 'integer' ? 'numeric' : 'decimal') : null,
    autocomplete: 'off',
    value: text,
    class: isNumber ? 'number' : null,
  }
  const choices = (await input.suggests?.(context)) ?? []
  const list = choices.length > 0 ? `${id}-known` : null
  const unit = input.as === 'money' ? html` <small>${context.store.currency}</small>` : ''
  return html`<label for="${id}">${label}${unit}</label><input${attributes({ ...own, ...kind, list })}${about}>
${list ? suggestions(list, choices) : ''}`
}

const inputTypes: Record<string, string> = { 'date-time': 'datetime-local', date: 'date', email: 'email' }

function suggestions(id: string, choices: Choices): Html {
  const options = choices.map(([value, text]) => html`<option value="${value}">${text}</option>`)
  return html`<datalist id="${id}">${options}</datalist>`
}

function isSpecial(as: FormInput['as']): as is SpecialControl {
  return as !== undefined && Object.hasOwn(specialControls, as)
}

/** Secrets are never sent back to the browser. */
const secretKinds = {
  password: { type: 'password', autocomplete: 'new-password' },
  code: { type: 'text', inputmode: 'numeric', autocomplete: 'one-time-code', class: 'code' },
}

/** In the reader's language; money has the decimals of its currency. */
export function formatInputNumber({ store, language }: PageContext, { as }: FormInput, value: number): string {
  return formatNumber(value, language, as === 'money' ? getCurrencyExponent(store.currency) : 0)
}

function formatControlValue(context: PageContext, input: FormInput, value: unknown, { format }: JsonSchema): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return formatInputNumber(context, input, value)
  const isMoment = format === 'date-time' && (value instanceof Date || String(value).endsWith('Z'))
  return isMoment ? formatLocalTime(new Date(value as string), context.store.timezone) : String(value)
}

function listControlOptions({ t }: PageContext, { name }: FormInput, schema: JsonSchema): Choices {
  if (getSchemaType(schema) === 'boolean' && isNullable(schema))
    return [
      ['true', t('yes')],
      ['false', t('no')],
    ]
  const last = name.split('.').at(-1)!
  return listSchemaChoices(schema).map((value) => [value, messageOr(t, `${last}_${value}`, value)])
}

function select({ context, id, input, value, hasBlank, about }: ControlProps, options: Choices): Html {
  const none = hasBlank ? html`<option value="">${context.t(input.blank ?? 'none')}</option>` : ''
  const items = options.map(
    ([option, text]) =>
      html`<option value="${option}"${option === String(value ?? '') ? html` selected` : ''}>${text}</option>`,
  )
  // Keeps the current value even if it is no longer offered.
  const isOther = typeof value === 'string' && value !== '' && !options.some(([option]) => option === value)
  const other = isOther ? html`<option value="${value}" selected>${value}</option>` : ''
  return html`<select id="${id}" name="${input.name}"${about}>${none}${items}${other}</select>`
}

function boxes({ context, input, label, value, about, id }: ControlProps, options: Choices): Html {
  const checkedValues = new Set([value ?? []].flat().map(String))
  const type = input.as === 'boxes' ? 'checkbox' : 'radio'
  const kind = input.as === 'cards' ? 'cards' : 'boxes'
  const items = options.map(([option, text]) => {
    const hint = kind === 'cards' ? messageOr(context.t, `method_${option}_text`, '') : ''
    const box = { type, name: input.name, value: option, checked: checkedValues.has(option) } as const
    return choice(box, hint ? html`<b>${text}</b> <small>${hint}</small>` : text)
  })
  return html`<fieldset id="${id}"${about}><legend>${label}</legend><div class="${kind}">${items}</div></fieldset>`
}
