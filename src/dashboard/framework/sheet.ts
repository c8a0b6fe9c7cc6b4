// A screen that is one form over what a store always has: read by a GET of the API, saved by the PATCH of its path.
import { html } from 'hono/html'
import { endpoint } from './api.ts'
import { read } from './call.ts'
import { form } from './form.ts'
import type { Action, Html, Screen, Visit } from './page.ts'

type Sheet = Pick<Screen, 'path' | 'title' | 'section' | 'nav' | 'within' | 'params' | 'preview'> & {
  /** Of the API: `/store/appearance` */
  api: string
  /** What a form that stands for several of one path says of which. */
  fixed?: Record<string, string>
  inputs: NonNullable<Action['inputs']>
  /** What stands where nothing is typed. */
  usual?: (record: any, visit: Visit) => object | Promise<object>
  body?: Action['body']
  fieldOf?: Action['fieldOf']
  /** What else can be done on it. */
  actions?: Record<string, Action>
  /** Before and after the form, within it before its button, and beside the button. */
  before?: (visit: Visit, record: any) => Html | '' | Promise<Html | ''>
  after?: (visit: Visit, record: any) => Html | '' | Promise<Html | ''>
  more?: (visit: Visit, record: any) => Html | '' | Promise<Html | ''>
  beside?: (visit: Visit) => Html
  /** What stands around the form, e.g. what shows it while it is typed. */
  around?: (visit: Visit, form: Html) => Html
}

export function sheet(of: Sheet): Screen {
  const { path, title, section, nav, within, params, preview, api, fixed = {}, inputs, actions = {} } = of
  const { body, fieldOf, usual, before, after, more, beside, around = (_, drawn) => drawn } = of
  const found = endpoint(`GET ${api}`)
  const save: Action = {
    route: endpoint(`PATCH ${api}`),
    inputs,
    done: 'saved',
    ...(body ? { body } : {}),
    ...(fieldOf ? { fieldOf } : {}),
  }
  return {
    path,
    title,
    section,
    scope: 'read:store',
    ...(nav ? { nav } : {}),
    ...(within ? { within } : {}),
    ...(params ? { params } : {}),
    ...(preview ? { preview } : {}),
    actions: { ...actions, save },
    async show(visit) {
      const { data, version } = await read(visit, found, { params: { ...visit.params, ...fixed } })
      const drawing = { act: 'save', action: save, button: 'save', values: data, version, fixed } as const
      const drawn = await form(visit, {
        ...drawing,
        ...(usual ? { usual: await usual(data, visit) } : {}),
        more: (await more?.(visit, data)) ?? '',
        beside: beside?.(visit) ?? '',
      })
      return {
        content: html`${(await before?.(visit, data)) ?? ''}${around(visit, html`<div class="panel">${drawn}</div>`)}
${(await after?.(visit, data)) ?? ''}`,
      }
    },
  }
}
