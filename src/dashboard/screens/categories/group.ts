// Categories and collections are edited alike: what heads their page in the shop, its address, and what is in them.
import { html } from 'hono/html'
import { etagOf } from '../../../kit/declare/conditions.ts'
import { pick } from '../../../kit/declare/row.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import type { AnyResource } from '../../../kit/declare/resource.ts'
import { endpoint } from '../../framework/api.ts'
import { readNow } from '../../framework/call.ts'
import { button, fields, form, type Drawing } from '../../framework/form.ts'
import { panel } from '../../framework/parts.ts'
import type { Action, Further, Html, Input, Screen, Section, Visit } from '../../framework/page.ts'
import { previewOf } from '../../framework/picturepreview.ts'
import { uploadForm } from '../pictures/pictures.ts'
import { searchPreview } from '../../framework/searchpreview.ts'
import { translationLinks, translationScreens } from '../../framework/translations.ts'
import type { Word } from '../../framework/words.ts'

type Group = {
  path: string
  section: Section
  scope: string
  resource: AnyResource
  words: Record<'list' | 'fresh' | 'create' | 'made' | 'ask' | 'text' | 'deleted', Word>
  /** Beside those that both have. */
  inputs: readonly Input[]
  actions?: Record<string, Action>
  /** Below the form. */
  more: (visit: Visit, record: any) => Promise<Html>
}

type Shared = { id: string; name: string; slug: string; description: string | null; image: string | null }

const about: Input[] = [{ name: 'name' }, { name: 'description', as: 'area', hint: 'group_description_hint' }]
const search: Input[] = [{ name: 'slug', label: 'slug_of_page', hint: 'slug_hint' }]
const image: Input[] = [{ name: 'image', label: 'picture_address' }]
const placed = (inputs: readonly Input[]): Input[] => [{ name: 'is_active', label: 'shown_in_shop' }, ...inputs]

export function groupScreens(group: Group): { fresh: Screen; screen: Screen; translations: Screen[] } {
  const { path, section, scope, resource, words, more } = group
  const { create, ...actions } = actionsOf(group)
  const base = { scope, section, within: { path, title: words.list } }
  const blank = { is_active: true, position: 0, sort_order: 'manual' }
  return {
    fresh: {
      ...base,
      path: `${path}/new`,
      title: words.fresh,
      actions: { save: create! },
      async show(visit) {
        const drawing: Drawing = { act: 'save', action: create!, button: words.create, values: blank }
        return { content: await editor(visit, group, drawing, null) }
      },
    },
    screen: {
      ...base,
      path: `${path}/{id}`,
      title: words.list,
      params: { id: resource },
      actions,
      async show(visit) {
        const { db, store, ids, say, params } = visit
        const { entity, json } = await findRecord(db, resource, store.id, ids.id!)
        const record = entity as Shared
        const drawing: Drawing = {
          act: 'save',
          action: actions.save!,
          button: 'save',
          values: record,
          version: etagOf(json),
        }
        const asked = { act: 'delete', fixed: { label: record.name }, text: 'delete', kind: 'quiet danger' } as const
        return {
          title: record.name,
          content: html`${await editor(visit, group, drawing, record)}
${await uploading(visit, actions.picture!)}${await more(visit, entity)}
${translationLinks(visit, `${path}/${params.id!}/translations`)}
${panel(say('more_steps'), button(visit, asked))}`,
        }
      },
    },
    translations: translationScreens({
      path: `${path}/{id}/translations`,
      api: `${path}/{id}/translations`,
      section,
      within: { path: `${path}/{id}`, title: words.list },
      params: { id: resource },
      texts: about,
      own: async ({ db, store, ids }) => (await findRecord(db, resource, store.id, ids.id!)).entity,
    }),
  }
}

/** Open when it was refused: what is wrong stands in it. */
async function uploading(visit: Visit, action: Action): Promise<Html> {
  const isOpen = visit.refused?.act === 'picture'
  const form = await uploadForm(visit, 'picture', action)
  return html`<details class="panel"${isOpen ? html` open` : ''}>
<summary>${visit.say('picture_upload')}</summary>${form}</details>`
}

function actionsOf({ path, words, inputs, actions = {} }: Group): Record<string, Action> {
  const all = [...about, ...image, ...placed(inputs), ...search]
  const names = all.map(({ name }) => name)
  const change = endpoint(`PATCH ${path}/{id}`)
  const put = async ({ url }: { url: string }, visit: Visit): Promise<Further> => {
    const params = { id: visit.params.id! }
    const { version } = await readNow(visit, change, params)
    return { route: change, params, body: { image: url }, version }
  }
  return {
    create: { route: endpoint(`POST ${path}`), inputs: all, done: words.made, to: ({ id }) => `${path}/${id}` },
    save: { route: change, inputs: all, shown: (record) => pick(record, names), done: 'saved' },
    picture: {
      route: endpoint('POST /media'),
      inputs: [{ name: 'url', label: 'picture_address' }],
      next: put,
      done: 'picture_brought',
    },
    delete: {
      route: endpoint(`DELETE ${path}/{id}`),
      ask: { title: words.ask, text: words.text, button: 'delete' },
      done: words.deleted,
      to: () => path,
    },
    ...actions,
  }
}

async function editor(visit: Visit, { path, inputs }: Group, drawing: Drawing, record: Shared | null): Promise<Html> {
  const { say, store } = visit
  const [first, found, shown, drawn] = await Promise.all(
    [about, search, placed(inputs), image].map((group) => fields(visit, drawing, group)),
  )
  const preview = searchPreview(visit, record, path.slice(1))
  const seen = record?.image ? html`<p><img src="${previewOf(record.image, store.id)}" alt="" width="160"></p>` : ''
  const content = html`<div class="columns"><div>${panel(say('product_about'), first!)}
${panel(say('search_engines'), html`${found!}${preview}`)}</div>
<div class="aside">${panel(say('shop'), shown!)}${panel(say('picture'), html`${seen}${drawn!}`)}</div></div>
<p class="send save"><button>${say(drawing.button)}</button></p>`
  return form(visit, { ...drawing, content })
}
