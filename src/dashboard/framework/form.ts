// Renders a form from its inputs: label, control, hint and error.
import { html } from 'hono/html'
import { randomUUID } from 'node:crypto'
import type { JsonSchema } from '../../kit/declare/field.ts'
import { field, fieldsNamed } from '../../platform/pages/form.ts'
import { aboutField, attributes, renderFieldFault, hiddenFields } from '../../platform/pages/parts.ts'
import { mayCall } from './call.ts'
import { inputFormatOf, readInputValue } from './formbody.ts'
import { formatInputNumber, renderControl } from './controls.ts'
import { resolveInputs, isNullable, getInputSchema, getSchemaType } from './inputs.ts'
import { isEdited, submittedDigests, digestText } from './merge.ts'
import type { FormInput, Html, PageContext, ScreenAction } from './screen.ts'
import { locateFieldError } from './specialcontrols.ts'
import { messageOr, type MessageKey } from './messages.ts'

export type FormProps = {
  /** Links elements outside the form to it. */
  id?: string
  act: string
  action: ScreenAction
  button: MessageKey
  /** The text of the button, if it is more than the message. */
  buttonText?: string | Html
  /** Red for destructive actions. */
  kind?: 'bad'
  /** Initial values by field name. */
  values?: object
  /** Placeholders. */
  placeholders?: object
  /** The version of the edited record. */
  version?: string
  /** Hidden fields. */
  fixed?: Record<string, string>
  /** Content before the fields. */
  lead?: Html | ''
  /** Content before the button. */
  more?: Html | ''
  /** Replaces the fields and the button with a custom layout. */
  content?: Html
  isQuiet?: boolean
  /** The name and value that Enter submits, if they are not the button's. */
  enterButton?: readonly [name: string, value: string]
  /** Further submit buttons. */
  others?: readonly string[]
  beside?: Html | ''
  /** No unsaved-changes warning. */
  isLoose?: boolean
  /** One line; only screen readers read the label. */
  isInline?: boolean
}

/** The language in which a form was shown: what was typed is read, and shown again, in it. */
export const languageField = 'shown_in'

export async function form(context: PageContext, props: FormProps): Promise<Html> {
  const { id, act, action, button, fixed = {}, lead = '', more = '', content, isQuiet = false } = props
  const { others, beside = '' } = props
  const { route } = action
  const inputs = resolveInputs(action, context)
  const rejection = getFormRejection(context, props)
  if (rejection) rejection.isShown = true
  const enterButton = props.enterButton ?? (others ? ['act', act] : [])
  // Enter submits the first button of a form, which is another one where the content has its own.
  const hasOtherButtons = props.enterButton !== undefined || content !== undefined || inputs.some(({ picks }) => picks)
  const about = attributes({
    id,
    class: props.isInline && 'inline',
    method: 'post',
    enctype: route.file && 'multipart/form-data',
    action: context.here,
    'data-guard': (inputs.length > 0 || lead !== '') && !props.isLoose,
    'data-saves': button === 'save' && !props.isInline && !props.isLoose,
  })
  const first = { name: enterButton[0], value: enterButton[1] }
  const texts = {
    ...fixed,
    ...(others ? {} : { act }),
    once: randomUUID(),
    [languageField]: context.language,
    ...buildVersionFields(context, props, rejection),
  }
  const own = attributes({ class: isQuiet ? 'quiet' : props.kind, ...(others ? { name: 'act', value: act } : {}) })
  const body = html`${lead}${content ?? html`${await fields(context, props, inputs)}${more}`}`
  const send = html`<p class="send"><button${own}>${props.buttonText ?? context.t(button)}</button>${beside}</p>`
  return html`<form${about}>
${hasOtherButtons ? html`<button class="hidden" tabindex="-1" aria-hidden="true"${attributes(first)}></button>` : ''}
${rejection?.text ? html`<p class="notice error" role="alert">${rejection.text}</p>` : ''}
${hiddenFields(texts)}
${mayDo(context, action) ? html`${body}${content ? '' : send}` : html`<fieldset disabled>${body}</fieldset>`}</form>`
}

export function mayDo({ role }: PageContext, { route }: ScreenAction): boolean {
  return mayCall(role, route)
}

/** Renders some of a form's inputs, each with its label and error. */
export async function fields(context: PageContext, props: FormProps, inputs: readonly FormInput[]): Promise<Html> {
  const { schema } = props.action.route.body ?? { schema: {} }
  const rejection = getFormRejection(context, props)
  const rows = await Promise.all(inputs.map((input) => renderFormRow(context, props, input, schema, rejection)))
  return html`${groupRows(context, inputs, rows)}`
}

type FormIdentity = Pick<FormProps, 'act' | 'others' | 'fixed'>

/** The rejection of this form: one of another form on the page does not concern its input. */
export function getFormRejection(context: PageContext, { act, others = [], fixed = {} }: FormIdentity): FormRefusal {
  const { rejection } = context
  return rejection && [act, ...others].includes(rejection.act) && isSameForm(context, fixed) ? rejection : null
}

/** Keeps the version that the input was based on, unless a conflict has just been shown. */
function buildVersionFields(
  { form: submission }: PageContext,
  { action, values, version }: FormProps,
  rejection: FormRefusal,
) {
  if (rejection && rejection.status !== 412) {
    const names = ['version', 'seen'].filter((name) => field(submission, name) !== '')
    return Object.fromEntries(names.map((name) => [name, field(submission, name)]))
  }
  return {
    ...(version ? { version } : {}),
    ...(action.toBody && values ? { seen: digestText(action.toBody(values)) } : {}),
  }
}

/** Splits the inputs into groups; each begins with an input that has a `group`. */
function groupRows({ t }: PageContext, inputs: readonly FormInput[], rows: readonly Html[]): Html[] {
  const begins = inputs.flatMap(({ group }, at) => (group || at === 0 ? [at] : []))
  return begins.map((from, index) => {
    const items = rows.slice(from, begins[index + 1])
    const { group } = inputs[from]!
    return group
      ? html`<fieldset class="part"><legend>${t(group)}</legend><div class="fields">${items}</div></fieldset>`
      : html`<div class="fields">${items}</div>`
  })
}

/** A form that is only a button. */
export function button(
  context: PageContext,
  { act, fixed = {}, text, values, kind = 'quiet', about, leaves }: ButtonProps,
): Html {
  const rejection = getFormRejection(context, { act, fixed })
  const label = about && `${context.t(text)}: ${about}`
  return html`<form method="post" action="${context.here}"${attributes({ 'data-leaves': leaves })}>
${rejection?.text ? html`<p class="notice error" role="alert">${rejection.text}</p>` : ''}
${hiddenFields({ ...fixed, act, once: randomUUID() })}
<button${attributes({ class: kind, 'aria-label': label })}>${context.t(text, values)}</button></form>`
}

export type ButtonProps = {
  act: string
  fixed?: Record<string, string>
  text: MessageKey
  /** Values for its text. */
  values?: Record<string, string>
  kind?: string
  /** Accessible name of the target. */
  about?: string
  /** Leads away from the screen: the browser first asks whether to discard what was typed. */
  leaves?: boolean
}

/** Several forms of a page may run the same action on different records. */
function isSameForm({ form: submission }: PageContext, fields: Record<string, string>): boolean {
  return Object.entries(fields).every(([name, value]) => field(submission, name) === value)
}

type FormRefusal = PageContext['rejection']

async function renderFormRow(
  context: PageContext,
  props: FormProps,
  input: FormInput,
  body: JsonSchema,
  rejection: FormRefusal,
): Promise<Html> {
  const { t } = context
  const { name, isHalf = false } = input
  const hint = input.hintText ?? (input.hint && t(input.hint))
  const schema = getInputSchema(input, body)
  const id = [props.act, ...Object.values(props.fixed ?? {}), name].join('-').replaceAll(/[^\w.-]+/g, '-')
  const [at, fault] = rejection ? locateFieldError(rejection.faults, input, context.form) : []
  const isFirst = at !== undefined && Object.keys(rejection!.faults)[0] === at
  const ownValue = valueIn(props.values, name)
  const label = formatInputLabel(context, input)
  const about = { fault, hint, focus: isFirst }
  const readTyped = () =>
    getSchemaType(schema) === 'array' ? fieldsNamed(context.form, name) : field(context.form, name)
  const value = rejection && staysTyped(context, input, schema) ? readTyped() : ownValue
  const usual = valueIn(props.placeholders, name)
  const hasBlank = isNullable(schema) || ownValue === undefined
  const controlProps = { context, input, schema, id, label, value, hasBlank, usual, about: aboutField(id, about) }
  const control = await renderControl(controlProps)
  const note = rejection?.status === 412 ? changedNote(context, input, ownValue, value, id) : ''
  const notes = html`${hint ? html`<span class="hint" id="${id}-hint">${hint}</span>` : ''}${note}`
  return html`<div class="field${isHalf ? ' half' : ''}">${control}${notes}${renderFieldFault(id, fault)}</div>`
}

/** In a conflict, untouched inputs show the current values. */
function staysTyped(context: PageContext, input: FormInput, schema: JsonSchema): boolean {
  const { form: submission, rejection } = context
  const digests = rejection?.status === 412 ? submittedDigests(submission) : null
  return !digests || isEdited(digests, input.name, readInputValue(submission, input, schema, inputFormatOf(context)))
}

export function formatInputLabel(
  { t }: PageContext,
  { name, label, labelText }: Pick<FormInput, 'name' | 'label' | 'labelText'>,
): string {
  if (labelText !== undefined) return labelText
  return label ? t(label) : messageOr(t, name.replaceAll('.', '_'), name)
}

/** Shows the value that someone else has saved. */
function changedNote(context: PageContext, input: FormInput, ownValue: unknown, value: unknown, id: string): Html | '' {
  const now = typeof ownValue === 'number' ? formatInputNumber(context, input, ownValue) : String(ownValue ?? '')
  const shown = typeof value === 'number' ? formatInputNumber(context, input, value) : String(value ?? '')
  return now === shown || typeof ownValue === 'object'
    ? ''
    : html`<span class="hint changed" id="${id}-now">${context.t('now_is', { now })}</span>`
}

function valueIn(values: unknown, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | null | undefined)?.[part], values)
}
