// Draws a form from its inputs: label, control, hint, and what is wrong with it.
import { html } from 'hono/html'
import { randomUUID } from 'node:crypto'
import type { JsonSchema } from '../../kit/declare/field.ts'
import { localTimeOf } from '../../kit/values/timezone.ts'
import { field, fieldsNamed } from '../../platform/pages/form.ts'
import { aboutField, attributes, choice, faultOf, hidden } from '../../platform/pages/parts.ts'
import { mayUse } from '../../identity/accounts/roles.ts'
import { valueOf } from './formbody.ts'
import { choicesOf, inputsOf, isNullable, schemaOf, typeOf } from './inputs.ts'
import { isTouched, seenIn, seenText } from './merge.ts'
import { picker } from './picker.ts'
import type { Action, Choices, Html, Input, Special, Visit } from './page.ts'
import { faultAbout, special, specials } from './specials.ts'
import { wordIn, type Word } from './words.ts'

export type Drawing = {
  /** For what belongs to it and stands elsewhere. */
  id?: string
  act: string
  action: Action
  button: Word
  /** What is in the fields at first, by the names of a record. */
  values?: object
  /** What stands where nothing is typed. */
  usual?: object
  /** Of the record that is changed. */
  version?: string
  /** Fields that are not seen. */
  fixed?: Record<string, string>
  /** Before the fields. */
  lead?: Html | ''
  /** Before the button. */
  more?: Html | ''
  /** In the place of the fields and the button: a form that is laid out by hand. */
  content?: Html
  isQuiet?: boolean
  /** What Enter in a field does, where that is not to send the form: the name and value of a button. */
  entering?: readonly [name: string, value: string]
  /** Others do something else with the same form: its button says what it does, and they stand beside it. */
  others?: readonly string[]
  beside?: Html | ''
  /** On one line, its label for those who hear it. */
  isInline?: boolean
}

export async function form(visit: Visit, drawing: Drawing): Promise<Html> {
  const { id, act, action, button, fixed = {}, lead = '', more = '', content, isQuiet = false } = drawing
  const { others, beside = '', entering = [] } = drawing
  const { route } = action
  const inputs = inputsOf(action, visit)
  const refused = refusedOf(visit, drawing)
  if (refused) refused.isSaid = true
  const searches = inputs.some(({ picks }) => picks)
  const about = attributes({
    id,
    class: drawing.isInline && 'inline',
    method: 'post',
    enctype: route.file && 'multipart/form-data',
    action: visit.here,
    'data-guard': inputs.length > 0,
  })
  const first = { name: entering[0], value: entering[1] }
  const said = { ...fixed, ...(others ? {} : { act }), once: randomUUID(), ...versionsOf(visit, drawing, refused) }
  const own = attributes({ class: isQuiet && 'quiet', ...(others ? { name: 'act', value: act } : {}) })
  const body = html`${lead}${content ?? html`${await fields(visit, drawing, inputs)}${more}`}`
  const send = html`<p class="send"><button${own}>${visit.say(button)}</button>${beside}</p>`
  return html`<form${about}>
${searches ? html`<button class="hidden" tabindex="-1" aria-hidden="true"${attributes(first)}></button>` : ''}
${refused?.text ? html`<p class="notice error" role="alert">${refused.text}</p>` : ''}
${Object.entries(said).map((pair) => hidden(...pair))}
${mayDo(visit, action) ? html`${body}${content ? '' : send}` : html`<fieldset disabled>${body}</fieldset>`}</form>`
}

export function mayDo({ role }: Visit, { route }: Action): boolean {
  return [route.scope].flat().some((scope) => mayUse(role, scope))
}

/** Some of a form's inputs, each with its label and what is wrong with it. */
export async function fields(visit: Visit, drawing: Drawing, inputs: readonly Input[]): Promise<Html> {
  const { schema } = drawing.action.route.body ?? { schema: {} }
  const refused = refusedOf(visit, drawing)
  const rows = await Promise.all(inputs.map((input) => row(visit, drawing, input, schema, refused)))
  return html`${inGroups(visit, inputs, rows)}`
}

type Sent = Pick<Drawing, 'act' | 'others' | 'fixed'>

function refusedOf(visit: Visit, { act, others = [], fixed = {} }: Sent): Refused {
  const { refused } = visit
  return refused && [act, ...others].includes(refused.act) && isSameForm(visit, fixed) ? refused : null
}

/** What was typed was typed over the record as it was then, unless it was said just now that it is another. */
function versionsOf({ form: sent }: Visit, { action, values, version }: Drawing, refused: Refused) {
  if (refused && refused.status !== 412) {
    const names = ['version', 'seen'].filter((name) => field(sent, name) !== '')
    return Object.fromEntries(names.map((name) => [name, field(sent, name)]))
  }
  return {
    ...(version ? { version } : {}),
    ...(action.shown && values ? { seen: seenText(action.shown(values)) } : {}),
  }
}

/** From one that begins a group to the next. */
function inGroups({ say }: Visit, inputs: readonly Input[], rows: readonly Html[]): Html[] {
  const begins = inputs.flatMap(({ group }, at) => (group || at === 0 ? [at] : []))
  return begins.map((from, index) => {
    const drawn = rows.slice(from, begins[index + 1])
    const { group } = inputs[from]!
    return group
      ? html`<fieldset class="part"><legend>${say(group)}</legend><div class="fields">${drawn}</div></fieldset>`
      : html`<div class="fields">${drawn}</div>`
  })
}

/** A button alone is a form too. */
export function button(visit: Visit, { act, fixed = {}, text, kind = 'quiet', about, leaves }: Pressed): Html {
  const refused = refusedOf(visit, { act, fixed })
  const label = about && `${visit.say(text)}: ${about}`
  return html`<form method="post" action="${visit.here}"${attributes({ 'data-leaves': leaves })}>
${refused?.text ? html`<p class="notice error" role="alert">${refused.text}</p>` : ''}
${Object.entries({ ...fixed, act, once: randomUUID() }).map((pair) => hidden(...pair))}
<button${attributes({ class: kind, 'aria-label': label })}>${visit.say(text)}</button></form>`
}

type Pressed = {
  act: string
  fixed?: Record<string, string>
  text: Word
  kind?: string
  /** What it does it to, for those who do not see where it stands. */
  about?: string
  /** It leads away from the screen: what is typed there and not saved is asked about first. */
  leaves?: boolean
}

/** Several forms of a page may do the same to different things. */
function isSameForm({ form: sent }: Visit, fixed: Record<string, string>): boolean {
  return Object.entries(fixed).every(([name, value]) => field(sent, name) === value)
}

type Refused = Visit['refused']

async function row(visit: Visit, drawing: Drawing, input: Input, body: JsonSchema, refused: Refused): Promise<Html> {
  const { say } = visit
  const { name, hint, isHalf = false } = input
  const schema = schemaOf(input, body)
  const id = [drawing.act, ...Object.values(drawing.fixed ?? {}), name].join('-').replaceAll(/[^\w.-]+/g, '-')
  const [at, fault] = refused ? faultAbout(refused.faults, input, visit.form) : []
  const isFirst = at !== undefined && Object.keys(refused!.faults)[0] === at
  const kept = valueIn(drawing.values, name)
  const label = labelOf(visit, input)
  const about = { fault, hint: hint && say(hint), focus: isFirst }
  const typed = () => (typeOf(schema) === 'array' ? fieldsNamed(visit.form, name) : field(visit.form, name))
  const value = refused && staysTyped(visit, input, schema) ? typed() : kept
  const usual = valueIn(drawing.usual, name)
  const drawn = { visit, input, schema, id, label, value, usual, about: aboutField(id, about) }
  const control = await controlOf(drawn)
  const changed = refused?.status === 412 ? changedNote(visit, kept, value, id) : ''
  const notes = html`${hint ? html`<span class="hint" id="${id}-hint">${say(hint)}</span>` : ''}${changed}`
  return html`<div class="field${isHalf ? ' half' : ''}">${control}${notes}${faultOf(id, fault)}</div>`
}

/** In a conflict, what somebody did not touch follows what is there now. */
function staysTyped({ form: sent, refused, store }: Visit, input: Input, schema: JsonSchema): boolean {
  const seen = refused?.status === 412 ? seenIn(sent) : null
  return !seen || isTouched(seen, input.name, valueOf(sent, input, schema, store.timezone))
}

export function labelOf({ say }: Visit, { name, label }: Pick<Input, 'name' | 'label'>): string {
  return label ? say(label) : wordIn(say, name.replaceAll('.', '_'), name)
}

/** What somebody else has put there meanwhile. */
function changedNote({ say }: Visit, kept: unknown, typed: unknown, id: string): Html | '' {
  const now = kept === null || kept === undefined ? '' : String(kept)
  return now === String(typed ?? '') || typeof kept === 'object'
    ? ''
    : html`<span class="hint changed" id="${id}-now">${say('now_is', { now })}</span>`
}

function valueIn(values: unknown, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | null | undefined)?.[part], values)
}

type Drawn = {
  visit: Visit
  input: Input
  schema: JsonSchema
  id: string
  label: string
  value: unknown
  usual: unknown
  about: Html
}

async function controlOf(drawn: Drawn): Promise<Html> {
  const { visit, input, schema, id, label, value, usual, about } = drawn
  const type = typeOf(schema)
  if (input.picks) {
    const chosen = [value ?? []].flat().map(String).filter(Boolean)
    return picker(visit, { name: input.name, id, label, picks: input.picks, chosen, isSingle: type !== 'array', about })
  }
  if (isSpecial(input.as)) {
    const { name, as, rows } = input
    return special(as, { visit, id, name, label, value, about, ...(rows ? { rows } : {}) })
  }
  const options = input.options ? await input.options(visit) : optionsOf(visit, input, schema)
  const isChoice = input.options !== undefined || options.length > 0
  if (type === 'boolean' && !isChoice)
    return choice({ type: 'checkbox', name: input.name, value: '1', checked: value === true || value === '1' }, label)
  if (input.as === 'boxes' || input.as === 'radios') return boxes(drawn, options)
  const name = html`<label for="${id}">${label}</label>`
  if (isChoice) return html`${name}${select(drawn, options)}`
  const placeholder = usual ? String(usual) : null
  const shared = { id, name: input.name, maxlength: schema.maxLength as number | undefined, placeholder }
  const text = textOf(value, schema, visit)
  if (input.as === 'area')
    return html`${name}<textarea${attributes({ rows: input.rows ?? 4, ...shared })}${about}>
${text}</textarea>`
  if (input.as === 'password' || input.as === 'code')
    return html`${name}<input${attributes({ ...shared, ...secretKinds[input.as] })}${about}>`
  const isNumber = type === 'number' || type === 'integer'
  const kind = {
    type: schema.format === 'date-time' ? 'datetime-local' : schema.format === 'email' ? 'email' : 'text',
    inputmode: isNumber ? (type === 'integer' ? 'numeric' : 'decimal') : null,
    autocomplete: 'off',
    value: text,
    class: isNumber ? 'number' : null,
  }
  const suggested = input.suggests?.(visit) ?? []
  const list = suggested.length > 0 ? `${id}-known` : null
  const unit = input.as === 'money' ? html` <small>${visit.store.currency}</small>` : ''
  return html`<label for="${id}">${label}${unit}</label><input${attributes({ ...shared, ...kind, list })}${about}>
${list ? suggestions(list, suggested) : ''}`
}

function suggestions(id: string, suggested: Choices): Html {
  const options = suggested.map(([value, text]) => html`<option value="${value}">${text}</option>`)
  return html`<datalist id="${id}">${options}</datalist>`
}

function isSpecial(as: Input['as']): as is Special {
  return as !== undefined && Object.hasOwn(specials, as)
}

/** What is typed there is never sent back. */
const secretKinds = {
  password: { type: 'password', autocomplete: 'new-password' },
  code: { type: 'text', inputmode: 'numeric', autocomplete: 'one-time-code', class: 'code' },
}

function textOf(value: unknown, { format }: JsonSchema, { store }: Visit): string {
  if (value === null || value === undefined) return ''
  const isMoment = format === 'date-time' && (value instanceof Date || String(value).endsWith('Z'))
  return isMoment ? localTimeOf(new Date(value as string), store.timezone) : String(value)
}

function optionsOf({ say }: Visit, { name }: Input, schema: JsonSchema): Choices {
  if (typeOf(schema) === 'boolean' && isNullable(schema))
    return [
      ['true', say('yes')],
      ['false', say('no')],
    ]
  const last = name.split('.').at(-1)!
  return choicesOf(schema).map((value) => [value, wordIn(say, `${last}_${value}`, value)])
}

function select({ visit, schema, id, input, value, about }: Drawn, options: Choices): Html {
  const none = isNullable(schema) || value === undefined ? html`<option value="">${visit.say('none')}</option>` : ''
  const shown = options.map(
    ([option, text]) =>
      html`<option value="${option}"${option === String(value ?? '') ? html` selected` : ''}>${text}</option>`,
  )
  // What is there stays, even where it is not offered any more.
  const isOther = typeof value === 'string' && value !== '' && !options.some(([option]) => option === value)
  const other = isOther ? html`<option value="${value}" selected>${value}</option>` : ''
  return html`<select id="${id}" name="${input.name}"${about}>${none}${shown}${other}</select>`
}

function boxes({ input, label, value, about, id }: Drawn, options: Choices): Html {
  const ticked = new Set([value ?? []].flat().map(String))
  const type = input.as === 'radios' ? 'radio' : 'checkbox'
  const drawn = options.map(([option, text]) =>
    choice({ type, name: input.name, value: option, checked: ticked.has(option) }, text),
  )
  return html`<fieldset id="${id}"${about}><legend>${label}</legend><div class="boxes">${drawn}</div></fieldset>`
}
