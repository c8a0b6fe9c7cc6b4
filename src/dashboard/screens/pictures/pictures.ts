// Uploaded pictures. The product editor uploads here too.
import { html } from 'hono/html'
import { entityPage } from '../../../kit/declare/page.ts'
import { maxFileBytes, maxFileMegabytes } from '../../../commerce/media/limits.ts'
import { media } from '../../../commerce/media/media.ts'
import { attributes, renderFieldFault } from '../../../platform/pages/parts.ts'
import { endpoint } from '../../framework/api.ts'
import { button, form } from '../../framework/form.ts'
import { record } from '../../framework/record.ts'
import { recordRows } from '../../framework/recordrows.ts'
import type { ScreenAction, Html, FormInput, PageContext } from '../../framework/screen.ts'
import { toPreviewUrl } from '../../framework/picturepreview.ts'

type MediaRecord = NonNullable<typeof media.type>

const inputs: FormInput[] = [
  { name: 'url', label: 'image_url' },
  { name: 'alt_text', hint: 'alt_text_hint' },
]

const upload: ScreenAction = {
  route: endpoint('POST /media'),
  inputs,
  done: 'picture_added',
  renderResult: uploadResult,
}
const describe: ScreenAction = {
  route: endpoint('PATCH /media/{id}'),
  inputs: [{ name: 'alt_text' }],
  idFrom: { id: 'media' },
  done: 'saved',
}
const remove: ScreenAction = {
  route: endpoint('DELETE /media/{id}'),
  idFrom: { id: 'media' },
  confirm: { title: 'picture_delete_ask', text: 'picture_delete_text', button: 'delete' },
  done: 'picture_deleted',
}

// prettier-ignore
export const pictures = record({
  path: '/pictures', scope: 'read:products', title: 'pictures', section: 'products', nav: {},
  actions: { upload, describe, remove },
  read: listPictures,
  main: [
    { content: (context) => uploadForm(context, 'upload', upload) },
    recordRows({ label: 'pictures', none: ['pictures_none', 'pictures_none_text'], row: renderMediaRow }),
  ],
})

async function listPictures({ db, store }: PageContext): Promise<MediaRecord[]> {
  const query = { page: 1, per_page: 50, sort: 'created_at', order: 'desc', status: 'all' } as const
  return (await entityPage(db, media, store, query)).data
}

/** Uploads a file or fetches an address; works without a script. */
export async function uploadForm(context: PageContext, act: string, action: ScreenAction): Promise<Html> {
  const { t, rejection } = context
  const fault = rejection?.act === act ? rejection.faults.file : undefined
  const id = `${act}-file`
  const about = { id, type: 'file', name: 'file', accept: 'image/*', 'data-most': maxFileBytes }
  const large = {
    'data-too-large': t('picture_too_large', { limit: maxFileMegabytes }),
    'aria-invalid': fault && 'true',
  }
  const input = html`<input${attributes({ ...about, ...large, 'aria-describedby': fault && `${id}-fault` })}>`
  const lead = html`<p class="field"><label for="${id}">${t('picture_file')}</label>
${input}</p>${renderFieldFault(id, fault)}`
  return form(context, { act, action, button: 'picture_add', lead, isQuiet: true })
}

async function renderMediaRow(context: PageContext, one: MediaRecord): Promise<Html> {
  const { store, t } = context
  const { id, url, alt_text, width, height } = one
  const fixed = { media: id }
  const altTextForm = await form(context, {
    act: 'describe',
    action: describe,
    button: 'save',
    values: one,
    fixed,
    isQuiet: true,
    isInline: true,
  })
  const thumbnail = toPreviewUrl(url, store.id)
  const label = attributes({ href: url, target: '_blank', 'aria-label': alt_text || t('picture') })
  const image = attributes({ src: thumbnail, width: 40, height: 40, loading: 'lazy' })
  const removal = { act: 'remove', fixed: { ...fixed, label: alt_text ?? '' }, text: 'delete' } as const
  return html`<li><div class="thing"><a${label}><img${image} alt=""></a>
<div>${altTextForm}<small>${width} × ${height}</small></div></div>
<div class="pair">${button(context, { ...removal, kind: 'quiet danger' })}</div></li>`
}

/** The uploaded image, for people and for the editor's script. */
function uploadResult({ t, here, store }: PageContext, { url, alt_text }: MediaRecord): Html {
  const thumbnail = toPreviewUrl(url, store.id)
  return html`<div class="panel" data-uploaded="${url}">
<p><img src="${thumbnail}" alt="${alt_text ?? ''}" width="160"></p>
<copy-text label="${t('copy')}" done="${t('copied')}"><code>${url}</code></copy-text>
<p><a class="button" href="${here}">${t('pictures')}</a></p></div>`
}
