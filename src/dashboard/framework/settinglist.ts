// The screens of a list of settings (stores/setting.ts): the list, a new one, and one form for each.
import { html } from 'hono/html'
import { buildEtag } from '../../kit/declare/conditions.ts'
import { entityPage, findRecord } from '../../kit/declare/page.ts'
import type { Entity, Fields } from '../../kit/declare/field.ts'
import type { ResourceOf } from '../../kit/declare/resource.ts'
import type { Sql } from '../../kit/database/sql.ts'
import { endpoint } from './api.ts'
import { button, form, mayDo } from './form.ts'
import type { ScreenAction, Html, FormInput, Screen, PageContext } from './screen.ts'
import type { MessageKey } from './messages.ts'
import type { IconName } from './icons.ts'
import { emptyState, panel } from './parts.ts'
import { nextPosition, sortAction, sortList } from './sortlist.ts'

export type SettingListProps<F extends Fields> = Pick<
  Screen,
  'path' | 'title' | 'section' | 'nav' | 'within' | 'preview'
> & {
  /** Path of the API: `/store/shipping-rates` */
  api: string
  resource: ResourceOf<F>
  /** Filters the records of the list. */
  narrow?: Sql
  /** People put the records in order; a new one comes last. */
  isOrdered?: boolean
  empty: { title: MessageKey; text: MessageKey; icon?: IconName }
  inputs: readonly FormInput[]
  /** Inputs that depend on the record; replaces `inputs`. */
  inputsOf?: (record: any, context: PageContext) => readonly FormInput[]
  body?: ScreenAction['body']
  /** Initial values of a new one, and the label of its link. */
  defaults?: object
  add?: MessageKey
  /** Kinds to choose from while there is none. */
  cards?: (context: PageContext) => Html
  nameOf: (record: Entity<F>, context: PageContext) => string
  /** Marks beside the name and text below it. */
  marks?: (record: Entity<F>, context: PageContext) => Html | ''
  about?: (record: Entity<F>, context: PageContext) => string
  /** The message if it cannot be deleted. */
  conflict?: MessageKey
  /** Slots above, around, after. */
  before?: (context: PageContext) => Html | '' | Promise<Html | ''>
  around?: (context: PageContext, form: Html) => Html
  beside?: (context: PageContext) => Html
  /** Content after the inputs of the form. */
  more?: (context: PageContext, record: Entity<F> | null) => Html | '' | Promise<Html | ''>
  after?: (context: PageContext, record: Entity<F>) => Html | '' | Promise<Html | ''>
  actions?: Record<string, ScreenAction>
}

const scope = 'read:store'

type FormExtras = Record<'more' | 'beside', Html | ''>

export function settingScreens<F extends Fields>(
  props: SettingListProps<F>,
): [all: Screen, fresh: Screen, one: Screen] {
  return [listScreen(props), newScreen(props), recordScreen(props)]
}

/** The path of one record's form. */
export const recordPath = ({ path }: Pick<Screen, 'path'>, id = '{id}') => `${path}/${id}`

function createAction<F extends Fields>(props: NewScreenProps<F>): ScreenAction {
  const { api, inputs, resource, isOrdered = false, path, to: place = path } = props
  const body = async (context: PageContext, input: Record<string, any>) => ({
    ...(isOrdered ? { position: await nextPosition(context, resource) } : {}),
    ...(typeof props.body === 'function' ? await props.body(context, input) : props.body),
  })
  return { route: endpoint(`POST ${api}`), inputs, done: 'added', to: () => place, body }
}

function listScreen<F extends Fields>(props: SettingListProps<F>): Screen {
  const { path, title, section, nav, within, resource, narrow, empty, before, cards, add = 'add' } = props
  const create = createAction(props)
  const actions: Record<string, ScreenAction> = props.isOrdered ? { sort: sortAction(props.api, resource) } : {}
  return {
    path,
    title,
    section,
    scope,
    actions,
    ...(nav ? { nav } : {}),
    ...(within ? { within } : {}),
    async show(context) {
      const { db, store, t, base } = context
      // A store has at most one page of them, or people search by name.
      const { defaultSort: sort = 'created_at', defaultOrder: order = 'desc' } = resource
      const query = { page: 1, per_page: 100, sort, order }
      const { data } = await entityPage(db, resource, store, query, ...(narrow ? [narrow] : []))
      const isAllowed = mayDo(context, create)
      const adding = isAllowed ? html`<a class="button" href="${base}${path}/new">${t(add)}</a>` : ''
      const look = { icon: empty.icon ?? nav?.icon ?? section, action: adding } as const
      const none =
        cards && isAllowed
          ? panel(t(empty.title), html`<p class="hint">${t(empty.text)}</p>${cards(context)}`)
          : emptyState(t, empty.title, empty.text, look)
      return {
        buttons: data.length > 0 ? adding : '',
        content: html`${(await before?.(context)) ?? ''}
${data.length === 0 ? none : settingRows(context, props, data)}`,
      }
    },
  }
}

function settingRows<F extends Fields>(context: PageContext, props: SettingListProps<F>, data: Entity<F>[]): Html {
  const label = context.t(props.title)
  const rows = data.map((record) => {
    const { id } = record as unknown as { id: string }
    const name = props.nameOf(record, context)
    const about = props.about?.(record, context) ?? ''
    const content = html`<div><p><a class="main" href="${context.base}${recordPath(props, id)}">${name}</a>
${props.marks?.(record, context) ?? ''}</p>${about ? html`<p class="hint">${about}</p>` : ''}</div>`
    return { id, name, content }
  })
  const isSortable = props.isOrdered && rows.length > 1 && mayDo(context, sortAction(props.api, props.resource))
  if (isSortable) return sortList(context, { rows, label })
  return html`<ul class="records" aria-label="${label}">${rows.map(
    ({ content }) => html`<li class="whole-row">${content}</li>`,
  )}</ul>`
}

type NewScreenProps<F extends Fields> = SettingListProps<F> & {
  /** The screen's path. Defaults to the list's, with /new. */
  at?: string
  /** The next screen after saving. Defaults to the list. */
  to?: string
  /** Defaults to the name of the screen. */
  button?: MessageKey
  /** Initial values in the person's language. */
  defaultsFor?: (context: PageContext) => object
}

export function newScreen<F extends Fields>(props: NewScreenProps<F>): Screen {
  const {
    path,
    title,
    section,
    defaults = {},
    add = 'add',
    around = (_, content) => content,
    beside,
    more,
    preview,
  } = props
  const { defaultsFor, button: name = add } = props
  const create = createAction(props)
  return {
    path: props.at ?? `${path}/new`,
    title: add,
    section,
    scope,
    within: { path, title },
    ...(preview ? { preview } : {}),
    actions: { create },
    async show(context) {
      const inside: FormExtras = { more: (await more?.(context, null)) ?? '', beside: beside?.(context) ?? '' }
      const values = { ...defaults, ...defaultsFor?.(context) }
      const content = await form(context, { act: 'create', action: create, button: name, values, ...inside })
      return { content: around(context, html`<div class="panel">${content}</div>`) }
    },
  }
}

function recordScreen<F extends Fields>(props: SettingListProps<F>): Screen {
  const { path, title, section, api, resource, inputs, inputsOf, body, nameOf, after, actions = {}, preview } = props
  const { around = (_, content) => content, beside, more, conflict } = props
  const save: ScreenAction = { route: endpoint(`PATCH ${api}/{id}`), inputs, done: 'saved', ...(body ? { body } : {}) }
  const remove: ScreenAction = {
    route: endpoint(`DELETE ${api}/{id}`),
    confirm: { title: 'delete_ask', text: 'delete_text', button: 'delete' },
    done: 'deleted',
    to: () => path,
    ...(conflict ? { conflict } : {}),
  }
  return {
    path: recordPath(props),
    title,
    section,
    scope,
    within: { path, title },
    params: { id: resource },
    ...(preview ? { preview } : {}),
    actions: { ...actions, save, remove },
    async show(context) {
      const { db, store, ids } = context
      const { entity, json } = await findRecord(db, resource, store.id, ids.id!)
      const name = nameOf(entity, context)
      const content = await form(context, {
        act: 'save',
        action: inputsOf ? { ...save, inputs: inputsOf(entity, context) } : save,
        button: 'save',
        values: entity,
        version: buildEtag(json),
        more: (await more?.(context, entity)) ?? '',
        beside: beside?.(context) ?? '',
      })
      const away = button(context, { act: 'remove', fixed: { label: name }, text: 'delete', kind: 'quiet danger' })
      return {
        title: name,
        content: html`${around(context, html`<div class="panel">${content}</div>`)}
${(await after?.(context, entity)) ?? ''}${mayDo(context, remove) ? away : ''}`,
      }
    },
  }
}
