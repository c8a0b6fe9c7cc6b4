// A screen with one form for a store's settings: read with GET and saved with PATCH at the same path of the API.
import { html } from 'hono/html'
import { endpoint } from './api.ts'
import { read } from './call.ts'
import { form } from './form.ts'
import type { ScreenAction, Html, Screen, PageContext } from './screen.ts'

type SettingsFormProps = Pick<
  Screen,
  'path' | 'title' | 'section' | 'nav' | 'within' | 'params' | 'preview' | 'previewScope'
> & {
  /** Path of the API: `/store/appearance` */
  api: string
  /** Field that identifies the record. */
  fixed?: Record<string, string>
  inputs: NonNullable<ScreenAction['inputs']>
  /** Placeholders. */
  placeholders?: (record: any, context: PageContext) => object | Promise<object>
  body?: ScreenAction['body']
  fieldOf?: ScreenAction['fieldOf']
  /** Further actions. */
  actions?: Record<string, ScreenAction>
  /** Slots before and after the form, before its button, and beside the button. */
  before?: (context: PageContext, record: any) => Html | '' | Promise<Html | ''>
  after?: (context: PageContext, record: any) => Html | '' | Promise<Html | ''>
  more?: (context: PageContext, record: any) => Html | '' | Promise<Html | ''>
  beside?: (context: PageContext) => Html
  /** Wraps the form, such as with a live preview. */
  around?: (context: PageContext, form: Html) => Html
}

export function settingsForm(of: SettingsFormProps): Screen {
  const { path, title, section, nav, within, params, preview, previewScope, api, fixed = {}, inputs, actions = {} } = of
  const { body, fieldOf, placeholders, before, after, more, beside, around = (_, content) => content } = of
  const reading = endpoint(`GET ${api}`)
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
    scope: reading.scope,
    ...(nav ? { nav } : {}),
    ...(within ? { within } : {}),
    ...(params ? { params } : {}),
    ...(preview ? { preview } : {}),
    ...(previewScope ? { previewScope } : {}),
    actions: { ...actions, save },
    async show(context) {
      const { data, version } = await read(context, reading, { params: { ...context.params, ...fixed } })
      const drawing = { act: 'save', action: save, button: 'save', values: data, version, fixed } as const
      const content = await form(context, {
        ...drawing,
        ...(placeholders ? { placeholders: await placeholders(data, context) } : {}),
        more: (await more?.(context, data)) ?? '',
        beside: beside?.(context) ?? '',
      })
      return {
        content: html`${(await before?.(context, data)) ?? ''}
${around(context, html`<div class="panel">${content}</div>`)}
${(await after?.(context, data)) ?? ''}`,
      }
    },
  }
}
