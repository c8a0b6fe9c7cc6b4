// The screens of a list that a merchant sets up (stores/setting.ts): all of it, one more, and each with its form.
import { html } from 'hono/html'
import { etagOf } from '../../kit/declare/conditions.ts'
import { entityPage, findRecord } from '../../kit/declare/page.ts'
import type { Entity, Fields } from '../../kit/declare/field.ts'
import type { ResourceOf } from '../../kit/declare/resource.ts'
import type { Sql } from '../../kit/database/sql.ts'
import { endpoint } from './api.ts'
import { button, form, mayDo } from './form.ts'
import type { Action, Html, Input, Screen, Visit } from './page.ts'
import type { Word } from './words.ts'

export type SettingList<F extends Fields> = Pick<
  Screen,
  'path' | 'title' | 'section' | 'nav' | 'within' | 'preview'
> & {
  /** Of the API: `/store/shipping-rates` */
  api: string
  resource: ResourceOf<F>
  /** Of all records, those that stand here. */
  narrow?: Sql
  empty: { title: Word; text: Word }
  inputs: readonly Input[]
  /** Instead of the inputs, those that fit the record. */
  inputsOf?: (record: any, visit: Visit) => readonly Input[]
  body?: Action['body']
  /** What is in the form of one more, what that is called, and how it is reached where there are several kinds. */
  fresh?: object
  add?: Word
  addition?: (visit: Visit) => Html
  nameOf: (record: Entity<F>, visit: Visit) => string
  /** Beside the name and below it. */
  marks?: (record: Entity<F>, visit: Visit) => Html | ''
  about?: (record: Entity<F>, visit: Visit) => string
  /** What it means that it cannot be deleted. */
  conflict?: Word
  /** What stands above the list, around the form of one, and after it. */
  before?: (visit: Visit) => Html | '' | Promise<Html | ''>
  around?: (visit: Visit, form: Html) => Html
  beside?: (visit: Visit) => Html
  /** In the form, after its inputs. */
  more?: (visit: Visit, record: Entity<F> | null) => Html | '' | Promise<Html | ''>
  after?: (visit: Visit, record: Entity<F>) => Html | '' | Promise<Html | ''>
  actions?: Record<string, Action>
}

const scope = 'read:store'

type Inside = Record<'more' | 'beside', Html | ''>

export function settingScreens<F extends Fields>(of: SettingList<F>): [all: Screen, fresh: Screen, one: Screen] {
  return [allOf(of), freshScreen(of), oneOf(of)]
}

/** Where one of them has its form. */
export const pathOfOne = ({ path }: Pick<Screen, 'path'>, id = '{id}') => `${path}/${id}`

function createOf<F extends Fields>({ api, inputs, body, path, to: place = path }: FreshScreen<F>): Action {
  const to = () => place
  return { route: endpoint(`POST ${api}`), inputs, done: 'added', to, ...(body ? { body } : {}) }
}

function allOf<F extends Fields>(of: SettingList<F>): Screen {
  const { path, title, section, nav, within, resource, narrow, empty, before, addition, add = 'add' } = of
  const create = createOf(of)
  return {
    path,
    title,
    section,
    scope,
    ...(nav ? { nav } : {}),
    ...(within ? { within } : {}),
    async show(visit) {
      const { db, store, say, base } = visit
      // A store has at most as many as a page has, or somebody looks for one by its name.
      const { defaultSort: sort = 'created_at', defaultOrder: order = 'desc' } = resource
      const query = { page: 1, per_page: 100, sort, order }
      const { data } = await entityPage(db, resource, store, query, ...(narrow ? [narrow] : []))
      const rows = data.map((record) => row(visit, of, record))
      const none = html`<div class="empty"><h2>${say(empty.title)}</h2><p>${say(empty.text)}</p></div>`
      const adding = addition?.(visit) ?? html`<a class="button" href="${base}${path}/new">${say(add)}</a>`
      return {
        buttons: mayDo(visit, create) ? adding : '',
        content: html`${(await before?.(visit)) ?? ''}
${data.length === 0 ? none : html`<ul class="records" aria-label="${say(title)}">${rows}</ul>`}`,
      }
    },
  }
}

function row<F extends Fields>(visit: Visit, of: SettingList<F>, record: Entity<F>): Html {
  const { id } = record as unknown as { id: string }
  const about = of.about?.(record, visit) ?? ''
  return html`<li><div><p><a class="main" href="${visit.base}${pathOfOne(of, id)}">${of.nameOf(record, visit)}</a>
${of.marks?.(record, visit) ?? ''}</p>${about ? html`<p class="hint">${about}</p>` : ''}</div></li>`
}

type FreshScreen<F extends Fields> = SettingList<F> & {
  /** The screen's own path. Default: the list's, with /new. */
  at?: string
  /** Where it leads after saving. Default: the list. */
  to?: string
  /** Default: the name of the screen. */
  button?: Word
  /** What its fields hold at first, in the language of the person. */
  freshFor?: (visit: Visit) => object
}

export function freshScreen<F extends Fields>(of: FreshScreen<F>): Screen {
  const { path, title, section, fresh = {}, add = 'add', around = (_, drawn) => drawn, beside, more, preview } = of
  const { freshFor, button: name = add } = of
  const create = createOf(of)
  return {
    path: of.at ?? `${path}/new`,
    title: add,
    section,
    scope,
    within: { path, title },
    ...(preview ? { preview } : {}),
    actions: { create },
    async show(visit) {
      const inside: Inside = { more: (await more?.(visit, null)) ?? '', beside: beside?.(visit) ?? '' }
      const values = freshFor?.(visit) ?? fresh
      const drawn = await form(visit, { act: 'create', action: create, button: name, values, ...inside })
      return { content: around(visit, html`<div class="panel">${drawn}</div>`) }
    },
  }
}

function oneOf<F extends Fields>(of: SettingList<F>): Screen {
  const { path, title, section, api, resource, inputs, inputsOf, body, nameOf, after, actions = {}, preview } = of
  const { around = (_, drawn) => drawn, beside, more, conflict } = of
  const save: Action = { route: endpoint(`PATCH ${api}/{id}`), inputs, done: 'saved', ...(body ? { body } : {}) }
  const remove: Action = {
    route: endpoint(`DELETE ${api}/{id}`),
    ask: { title: 'delete_ask', text: 'delete_text', button: 'delete' },
    done: 'deleted',
    to: () => path,
    ...(conflict ? { conflict } : {}),
  }
  return {
    path: pathOfOne(of),
    title,
    section,
    scope,
    within: { path, title },
    params: { id: resource },
    ...(preview ? { preview } : {}),
    actions: { ...actions, save, remove },
    async show(visit) {
      const { db, store, ids } = visit
      const { entity, json } = await findRecord(db, resource, store.id, ids.id!)
      const name = nameOf(entity, visit)
      const drawn = await form(visit, {
        act: 'save',
        action: inputsOf ? { ...save, inputs: inputsOf(entity, visit) } : save,
        button: 'save',
        values: entity,
        version: etagOf(json),
        more: (await more?.(visit, entity)) ?? '',
        beside: beside?.(visit) ?? '',
      })
      const away = button(visit, { act: 'remove', fixed: { label: name }, text: 'delete', kind: 'quiet danger' })
      return {
        title: name,
        content: html`${around(visit, html`<div class="panel">${drawn}</div>`)}
${(await after?.(visit, entity)) ?? ''}${mayDo(visit, remove) ? away : ''}`,
      }
    },
  }
}
