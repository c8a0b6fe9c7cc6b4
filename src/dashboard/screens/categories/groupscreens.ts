// The screens of a category or a collection: both have a heading, a URL, an image and contents.
import { html } from 'hono/html'
import { historyLink } from '../audit/history.ts'
import type { Fields } from '../../../kit/declare/field.ts'
import { pick } from '../../../kit/declare/row.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import type { AnyResource } from '../../../kit/declare/resource.ts'
import { endpoint } from '../../framework/api.ts'
import { readNow } from '../../framework/call.ts'
import { fields, form, type FormProps } from '../../framework/form.ts'
import { foldedPanel, panel } from '../../framework/parts.ts'
import type { ScreenAction, FollowUp, Html, FormInput, Screen, Section, PageContext } from '../../framework/screen.ts'
import { toPreviewUrl } from '../../framework/picturepreview.ts'
import { uploadForm } from '../pictures/pictures.ts'
import { searchPreview, seoInputs, type PreviewedPage } from '../../framework/searchpreview.ts'
import { translationLinks, translationScreens } from '../../framework/translations.ts'
import { record } from '../../framework/record.ts'
import type { MessageKey } from '../../framework/messages.ts'

type GroupScreensProps = {
  path: string
  section: Section
  scope: string
  resource: AnyResource
  words: Record<'list' | 'fresh' | 'create' | 'made' | 'ask' | 'text' | 'deleted', MessageKey>
  /** Inputs beside the common ones. */
  inputs: readonly FormInput[]
  actions?: Record<string, ScreenAction>
  /** Shown below the form. */
  more: (context: PageContext, record: any) => Promise<Html>
}

type GroupRecord = PreviewedPage & { id: string; image: string | null; path?: string }

const about: FormInput[] = [
  { name: 'name' },
  { name: 'description', as: 'markdown', rows: 5, hint: 'group_description_hint' },
]
const search: FormInput[] = [...seoInputs, { name: 'slug', label: 'url_handle', hint: 'url_handle_hint' }]
const image: FormInput[] = [{ name: 'image', label: 'image_url' }]
const visibilityInputs = (inputs: readonly FormInput[]): FormInput[] => [
  { name: 'is_active', label: 'shown_in_shop' },
  ...inputs,
]

export function groupScreens(props: GroupScreensProps): { fresh: Screen; screen: Screen; translations: Screen[] } {
  const { path, section, scope, resource, words, more } = props
  const { create, ...actions } = buildGroupActions(props)
  const base = { scope, section, within: { path, title: words.list } }
  const saving = { act: 'save', action: actions.save!, button: 'save' } as const
  const blank = { is_active: true, sort_order: 'manual' }
  return {
    fresh: record({
      ...base,
      path: `${path}/new`,
      title: words.fresh,
      actions: { save: create! },
      main: [
        (context) =>
          editor(context, props, { act: 'save', action: create!, button: words.create, values: blank }, null),
      ],
    }),
    screen: record<Fields, GroupRecord>({
      ...base,
      path: `${path}/{id}`,
      title: words.list,
      resource,
      actions,
      metadata: `PATCH ${path}/{id}`,
      name: ({ name }) => name,
      buttons: [historyLink],
      main: [
        (context, values, version) => editor(context, props, { ...saving, values, version }, values),
        (context) => uploadPanel(context, actions.picture!),
        more,
        (context) => translationLinks(context, `${path}/${context.params.id!}/translations`),
        {
          title: 'more_actions',
          buttons: [{ act: 'delete', text: 'delete', kind: 'quiet danger', label: ({ name }) => name }],
        },
      ],
    }),
    translations: translationScreens({
      path: `${path}/{id}/translations`,
      api: `${path}/{id}/translations`,
      section,
      within: { path: `${path}/{id}`, title: words.list },
      params: { id: resource },
      texts: [...about, ...seoInputs],
      own: async ({ db, store, ids }) => (await findRecord(db, resource, store.id, ids.id!)).entity,
    }),
  }
}

/** A rejected form stays open, because it shows what is wrong. */
async function uploadPanel(context: PageContext, action: ScreenAction): Promise<Html> {
  const isOpen = context.rejection?.act === 'picture'
  const form = await uploadForm(context, 'picture', action)
  return foldedPanel(context.t('picture_upload'), form, { isOpen })
}

function buildGroupActions({ path, words, inputs, actions = {} }: GroupScreensProps): Record<string, ScreenAction> {
  const all = [...about, ...image, ...visibilityInputs(inputs), ...search]
  const names = all.map(({ name }) => name)
  const change = endpoint(`PATCH ${path}/{id}`)
  const setImage = async ({ url }: { url: string }, context: PageContext): Promise<FollowUp> => {
    const params = { id: context.params.id! }
    const { version } = await readNow(context, change, params)
    return { route: change, params, body: { image: url }, version }
  }
  return {
    create: { route: endpoint(`POST ${path}`), inputs: all, done: words.made, to: ({ id }) => `${path}/${id}` },
    save: { route: change, inputs: all, toBody: (record) => pick(record, names), done: 'saved' },
    picture: {
      route: endpoint('POST /media'),
      inputs: [{ name: 'url', label: 'image_url' }],
      followUp: setImage,
      done: 'picture_added',
    },
    delete: {
      route: endpoint(`DELETE ${path}/{id}`),
      confirm: { title: words.ask, text: words.text, button: 'delete' },
      done: words.deleted,
      to: () => path,
    },
    ...actions,
  }
}

async function editor(
  context: PageContext,
  { path, inputs }: GroupScreensProps,
  formProps: FormProps,
  record: GroupRecord | null,
): Promise<Html> {
  const { t, store } = context
  const [aboutFields, searchFields, visibilityFields, imageFields] = await Promise.all(
    [about, search, visibilityInputs(inputs), image].map((group) => fields(context, formProps, group)),
  )
  const parents = record?.path?.split('/').slice(0, -1) ?? []
  const preview = searchPreview(context, record, [path.slice(1), ...parents].join('/'))
  const thumbnail = record?.image
    ? html`<p><img src="${toPreviewUrl(record.image, store.id)}" alt="" width="160"></p>`
    : ''
  const content = html`<div class="columns"><div>${panel(t('basic_details'), aboutFields!)}
${panel(t('search_engines'), html`${searchFields!}${preview}`)}</div>
<div class="aside">${panel(t('shop'), visibilityFields!)}
${panel(t('picture'), html`${thumbnail}${imageFields!}`)}</div></div>
<p class="send save"><button>${t(formProps.button)}</button></p>`
  return form(context, { ...formProps, content })
}
