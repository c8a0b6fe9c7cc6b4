// Declares the page of one record: its marks, panels of facts and forms, buttons, and related records. Without a
// resource, it is the page of a new record.
import { html } from 'hono/html'
import { mayUse } from '../../identity/accounts/roles.ts'
import { buildEtag } from '../../kit/declare/conditions.ts'
import type { Entity, Fields } from '../../kit/declare/field.ts'
import { findRecord } from '../../kit/declare/page.ts'
import type { ResourceOf } from '../../kit/declare/resource.ts'
import { addedPanels } from './addedpanels.ts'
import { button, form, mayDo, type ButtonProps, type FormProps } from './form.ts'
import type { MessageKey } from './messages.ts'
import { metadataAct, metadataAction, metadataPanel, type Labels } from './metadata.ts'
import { actionDialog, facts, foldedPanel, menu, panel } from './parts.ts'
import type { FormInput, Html, PageContext, Screen, ScreenAction } from './screen.ts'

/** A value of the record, such as the value of a fact. */
type Cell<R, V = Html | string | null> = (record: R, context: PageContext) => V

/** Custom content. `version` is the ETag of the resource's record. */
type Slot<R> = (context: PageContext, record: R, version: string) => Html | '' | Promise<Html | ''>

/** A field that has its name as its label, or a label with a field or a cell. Empty values are left out. */
type RecordFact<R> = (keyof R & MessageKey) | readonly [label: MessageKey, value: (keyof R & string) | Cell<R>]

/** Not shown to roles that cannot use its action. */
type RecordButton<R> = Omit<ButtonProps, 'fixed' | 'values'> & {
  when?: Cell<R, boolean>
  /** What its confirmation calls the record. */
  label?: Cell<R, string>
  /** Hidden fields. */
  fixed?: Cell<R, Record<string, string>>
}

/** A link to a path below the store's URL. */
type RecordLink<R> = { to: Cell<R, string>; text: MessageKey; scope?: string; when?: Cell<R, boolean> }

/** A form of one of the screen's actions. */
type RecordForm<R> = Omit<
  FormProps,
  'action' | 'button' | 'buttonText' | 'values' | 'version' | 'fixed' | 'lead' | 'more' | 'beside'
> & {
  when?: Cell<R, boolean>
  /** Default: Save. */
  button?: MessageKey
  buttonText?: (context: PageContext, record: R) => string | Html
  /** Edits the record: its values, and a conflict if someone else has changed them. */
  edits?: true
  values?: Cell<R, object>
  version?: Cell<R, string>
  /** Hidden fields. */
  fixed?: Cell<R, Record<string, string>>
  /** Replaces the inputs of the action. */
  inputs?: (context: PageContext, record: R) => readonly FormInput[] | Promise<readonly FormInput[]>
  /** Content before and after the inputs. */
  lead?: Slot<R>
  more?: Slot<R>
  /** Content beside the button. */
  beside?: (context: PageContext) => Html
}

/** Its parts are shown in this order. */
export type RecordPanel<R> = {
  when?: Cell<R, boolean>
  /** Required scope. */
  scope?: string
  /** Without one, the panel has no heading. */
  title?: MessageKey | Cell<R, string>
  /** For a short form without a heading. */
  isNarrow?: true
  /** Names the element around it, for scripts. */
  id?: string
  /** Content beside the title. */
  head?: Slot<R>
  /** Folds the panel. It is open at first if this is true; after a rejection, only the rejected form is open. */
  isOpen?: Cell<R, boolean>
  /** A button that opens a dialog with the form, or a menu of the parts. The class of the button. */
  opens?: 'dialog' | 'menu'
  kind?: '' | 'quiet danger'
  hint?: MessageKey
  lead?: Slot<R>
  facts?: readonly RecordFact<R>[]
  content?: Slot<R>
  form?: RecordForm<R>
  buttons?: readonly RecordPart<R>[]
}

type RecordAction<R> = RecordButton<R> | RecordLink<R> | Slot<R>
export type RecordPart<R> = RecordPanel<R> | RecordAction<R>

/** `R`: the record of the resource with additional fields, or what `read` returns instead. */
export type RecordProps<F extends Fields, R = Entity<F>> = Omit<Screen, 'show'> & {
  /** The resource of the last ID in the path. */
  resource?: ResourceOf<F>
  more?: (context: PageContext, record: Entity<F>) => Promise<R>
  read?: (context: PageContext) => Promise<R>
  name?: NoInfer<Cell<R, string>>
  buttons?: readonly NoInfer<RecordPart<R>>[]
  /** The line below the title: marks, and texts such as times. */
  marks?: readonly NoInfer<Cell<R>>[]
  lead?: readonly NoInfer<RecordPart<R>>[]
  /** With `side`, two columns. */
  main?: readonly NoInfer<RecordPart<R>>[]
  side?: readonly NoInfer<RecordPart<R>>[]
  after?: readonly NoInfer<RecordPart<R>>[]
  /** The route that changes its metadata, for the last panel: `PATCH /products/{id}` */
  metadata?: string
}

type Rendering<R> = { context: PageContext; record: R; version: string; actions: Record<string, ScreenAction> }

export function record<F extends Fields, R = Entity<F>>(props: RecordProps<F, R>): Screen {
  const { resource, more, read, name, buttons, marks, lead, main, side, after, metadata, ...screen } = props
  const { path, params } = screen
  const labels = metadata === undefined ? null : metadataAction(metadata)
  const actions = { ...screen.actions, ...(labels ? { [metadataAct]: labels } : {}) }
  const id = /\{(\w+)\}[^{]*$/.exec(path)?.[1]
  return {
    ...screen,
    actions,
    ...(resource ? { params: { ...params, [id!]: resource } } : {}),
    async show(context) {
      const { db, store, ids } = context
      const own = resource && !read ? await findRecord(db, resource, store.id, ids[id!]!) : null
      const one = (await (own && more ? more(context, own.entity) : read?.(context))) ?? ((own?.entity ?? {}) as R)
      const rendering = { context, record: one, version: own ? buildEtag(own.json) : '', actions }
      const columns = [lead, main, side, after].map((parts) => renderParts(rendering, parts))
      const [above, leftColumn, right, below] = await Promise.all(columns)
      // What `read` returns has the record as one of its parts.
      const labeled = own?.entity ?? (one as { record?: unknown }).record ?? one
      const addedHtml = await addedPanels(context, path)
      const metadataHtml = labels ? await metadataPanel(context, labels, labeled as Labels) : ''
      const states = marks ? html`<p class="states">${marks.map((mark) => renderMark(mark(one, context)))}</p>` : ''
      return {
        ...(name ? { title: name(one, context) } : {}),
        buttons: await renderActions(rendering, buttons),
        content: html`${states}${above!}
${side ? html`<div class="columns"><div>${leftColumn!}</div><div>${right!}</div></div>` : leftColumn!}${below!}
${addedHtml}${metadataHtml}`,
      }
    },
  }
}

function renderMark(mark: Html | string | null): Html | '' {
  return typeof mark === 'string' ? html`<span class="hint">${mark}</span>` : html`${mark ?? ''}\n`
}

async function renderParts<R>(rendering: Rendering<R>, parts: readonly RecordPart<R>[] = []): Promise<Html> {
  const panels = parts.map((part) => renderPart(rendering, part))
  return html`${(await Promise.all(panels)).map((part) => html`${part}\n`)}`
}

function renderPart<R>(rendering: Rendering<R>, part: RecordPart<R>): ReturnType<Slot<R>> {
  return typeof part === 'function' || 'act' in part || 'to' in part
    ? renderAction(rendering, part)
    : renderPanel(rendering, part)
}

async function renderPanel<R>(rendering: Rendering<R>, props: RecordPanel<R>): Promise<Html | ''> {
  const { context, record, version } = rendering
  const { id, when, scope, hint, lead, content, form: fields, buttons } = props
  if ((when && !when(record, context)) || (scope && !mayUse(context.role, scope))) return ''
  const hasForm = fields?.when?.(record, context) ?? true
  const [above, middle, formHtml, actions] = await Promise.all([
    lead?.(context, record, version) ?? '',
    content?.(context, record, version) ?? '',
    fields && hasForm ? renderForm(rendering, fields) : '',
    renderActions(rendering, buttons),
  ])
  const inside = html`${hint ? html`<p class="hint">${context.t(hint)}</p>` : ''}${above}
${props.facts ? facts((props.facts as readonly AnyFact[]).map((fact) => toPair(rendering, fact))) : ''}${middle}
${formHtml}${actions ? (props.opens ? actions : html`<div class="pair next">${actions}</div>`) : ''}`
  // The role can use none of its buttons.
  if (buttons && String(inside).trim() === '') return ''
  const panelHtml = await wrapPanel(rendering, props, inside)
  return id && !props.isOpen ? html`<div id="${id}">${panelHtml}</div>` : panelHtml
}

async function wrapPanel<R>(rendering: Rendering<R>, props: RecordPanel<R>, inside: Html): Promise<Html> {
  const { context, record, version } = rendering
  const { id, title, isNarrow, head, isOpen, opens, kind = 'quiet', form: fields } = props
  if (title === undefined) return html`<div class="${isNarrow ? 'card' : 'panel'}">${inside}</div>`
  const text = typeof title === 'function' ? title(record, context) : context.t(title)
  if (opens === 'menu') return menu(text, inside)
  if (opens)
    return actionDialog(text, inside, { id: `do-${fields!.act}`, kind, isOpen: isRejected(context, fields!.act) })
  if (!isOpen) return panel(text, inside, (await head?.(context, record, version)) ?? '')
  const { act } = fields!
  return foldedPanel(text, inside, {
    id: id ?? `do-${act}`,
    isOpen: context.rejection ? isRejected(context, act) : isOpen(record, context),
  })
}

function isRejected({ rejection }: PageContext, act: string): boolean {
  return rejection?.act === act
}

/** Its own type has thousands of names, which are too many to narrow here. */
type AnyFact = string | readonly [label: string, value: string | Cell<unknown>]

function toPair({ context, record }: Rendering<unknown>, fact: AnyFact): readonly [string, Html | string | null] {
  const [label, value] = typeof fact === 'string' ? [fact, fact] : fact
  const text =
    typeof value === 'function'
      ? value(record, context)
      : formatField(context, (record as Record<string, unknown>)[value])
  return [context.t(label as MessageKey), text]
}

function formatField({ t, formatTime }: PageContext, value: unknown): string | null {
  if (value === null || value === undefined || value === false) return null
  if (value === true) return t('yes')
  return value instanceof Date ? formatTime(value) : String(value as string | number)
}

async function renderForm<R>({ context, record, version, actions }: Rendering<R>, props: RecordForm<R>): Promise<Html> {
  const {
    when: _,
    act,
    edits,
    inputs,
    button: name = 'save',
    values,
    fixed,
    lead,
    more,
    buttonText,
    beside,
    ...others
  } = props
  const action = actions[act]!
  const own = values?.(record, context) ?? (edits ? (record as object) : undefined)
  const versionSeen = props.version?.(record, context) ?? (edits ? version : '')
  return form(context, {
    ...others,
    act,
    action: inputs ? { ...action, inputs: await inputs(context, record) } : action,
    button: name,
    ...(buttonText ? { buttonText: buttonText(context, record) } : {}),
    ...(own ? { values: own } : {}),
    fixed: fixed?.(record, context) ?? {},
    version: versionSeen,
    lead: (await lead?.(context, record, version)) ?? '',
    more: (await more?.(context, record, version)) ?? '',
    beside: beside?.(context) ?? '',
  })
}

async function renderActions<R>(rendering: Rendering<R>, all: readonly RecordPart<R>[] = []): Promise<Html | ''> {
  const buttons = await Promise.all(all.map((each) => renderPart(rendering, each)))
  return buttons.some(Boolean) ? html`${buttons}` : ''
}

function renderAction<R>(
  { context, record, version, actions }: Rendering<R>,
  props: RecordAction<R>,
): ReturnType<Slot<R>> {
  if (typeof props === 'function') return props(context, record, version)
  const { t, base, role } = context
  if (props.when && !props.when(record, context)) return ''
  if ('to' in props) {
    const { to, text, scope } = props
    return scope && !mayUse(role, scope)
      ? ''
      : html`<a class="button quiet" href="${base}${to(record, context)}">${t(text)}</a>`
  }
  const { when: _, label, fixed, ...others } = props
  if (!mayDo(context, actions[props.act]!)) return ''
  const hiddenFields = { ...fixed?.(record, context), ...(label ? { label: label(record, context) } : {}) }
  return button(context, { ...others, fixed: hiddenFields })
}
