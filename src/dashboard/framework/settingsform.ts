// A screen that is one form over what a store always has: read by a GET of the API, saved by the PATCH of its path.
import { html } from 'hono/html'
import { endpoint } from './api.ts'
import { read } from './call.ts'
import { form } from './form.ts'
import type { ScreenAction, Html, Screen, PageContext } from './screen.ts'

type SettingsFormProps = Pick<
  Screen,
  'path' | 'title' | 'section' | 'nav' | 'within' | 'params' | 'preview' | 'previewScope'
> & {
  /** Of the API: `/store/appearance` */
  api: string
  /** Field that identifies the record. */
  fixed?: Record<string, string>
  inputs: NonNullable<ScreenAction['inputs']>
  /** Placeholders. */
  placeholders?: (record: any, context: PageContext) => object | Promise<object>
  body?: ScreenAction['body']
  fieldOf?: ScreenAction['fieldOf']
  /** What else can be done on it. */
  actions?: Record<string, ScreenAction>
  /** Before and after the form, within it before its button, and beside the button. */
  before?: (context: PageContext, record: any) => Html | '' | Promise<Html | ''>
  after?: (context: PageContext, record: any) => Html | '' | Promise<Html | ''>
  more?: (context: PageContext, record: any) => Html | '' | Promise<Html | ''>
  beside?: (context: PageContext) => Html
  /** What stands around the form, e.g. what shows it while it is typed. */
  around?: (context: PageContext, form: Html) => Html
}

export function settingsForm(of: SettingsFormProps): Screen {
  const { path, title, section, nav, within, params, preview, previewScope, api, fixed = {}, inputs, actions = {} } = of
  const { body, fieldOf, placeholders, before, after, more, beside, around = (_, drawn) => drawn } = of
  const found = endpoint(`GET ${api}`)
  const save: ScreenAction = {
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
    scope: found.scope,
    ...(nav ? { nav } : {}),
    ...(within ? { within } : {}),
    ...(params ? { params } : {}),
    ...(preview ? { preview } : {}),
    ...(previewScope ? { previewScope } : {}),
    actions: { ...actions, save },
    async show(context) {
      const { data, version } = await read(context, found, { params: { ...context.params, ...fixed } })
      const drawing = { act: 'save', action: save, button: 'save', values: data, version, fixed } as const
      const drawn = await form(context, {
        ...drawing,
        ...(placeholders ? { placeholders: await placeholders(data, context) } : {}),
        more: (await more?.(context, data)) ?? '',
        beside: beside?.(context) ?? '',
      })
      return {
        content: html`${(await before?.(context, data)) ?? ''}
${around(context, html`<div class="panel">${drawn}</div>`)}
${(await after?.(context, data)) ?? ''}`,
      }
    },
  }
}
