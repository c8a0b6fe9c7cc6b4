// The gallery in the product's form: pictures in order, with alternative texts.
import { html } from 'hono/html'
import { firstPicture, isFilm } from '../../../commerce/catalog/gallery.ts'
import type { Product } from '../../../commerce/catalog/product.ts'
import { maxFileBytes, maxFileMegabytes } from '../../../commerce/media/limits.ts'
import { field, type Form } from '../../../platform/pages/form.ts'
import { aboutField, attributes, renderFieldFault, hidden } from '../../../platform/pages/parts.ts'
import { isEdited, submittedDigests } from '../../framework/merge.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { icon } from '../../framework/icons.ts'
import { countAttributes } from '../../framework/parts.ts'
import { toPreviewUrl } from '../../framework/picturepreview.ts'
import { listRowNumbers } from './variants.ts'

type ProductPicture = Product['gallery'][number]
type ShownPicture = Omit<ProductPicture, 'position'>
type GalleryRowInput = { at: number; id: string; url: string; alt_text: string | null; poster: string; isGone: boolean }

function galleryRows(form: Form): GalleryRowInput[] {
  const items = listRowNumbers(form, 'gallery').map((at) => {
    const read = (name: string) => field(form, `gallery.${at}.${name}`)
    const place = Number(read('position')) || 0
    const alt_text = read('alt_text') || null
    return {
      at,
      place,
      id: read('id'),
      url: read('url'),
      alt_text,
      poster: read('poster'),
      isGone: read('gone') !== '',
    }
  })
  return items.filter(({ url }) => url !== '').toSorted((a, b) => a.place - b.place)
}

export function galleryBody(form: Form): object[] {
  return galleryRows(form)
    .filter(({ isGone }) => !isGone)
    .map(({ id, url, alt_text, poster }, position) => ({
      ...(id ? { id } : {}),
      url,
      alt_text,
      position,
      ...(poster ? { poster } : {}),
    }))
}

/** The main image: the first one of the form. */
export function mainImageIn(form: Form): string | null {
  const [first] = galleryRows(form).flatMap(({ url, poster, isGone }) =>
    isGone ? [] : pictureIn({ url, poster }) || [],
  )
  return first ?? null
}

const pictureIn = ({ url, poster = '' }: { url: string; poster?: string | null }) => (isFilm(url) ? poster : url)

/** Puts the main image first, even if it is not part of the gallery. */
function shownPictures({ gallery, main_image }: Pick<Product, 'gallery' | 'main_image'>): ShownPicture[] {
  const isMain = (picture: ProductPicture) => pictureIn(picture) === main_image
  const others = gallery.filter((picture) => !isMain(picture))
  if (main_image === null || main_image === firstPicture(gallery)) return gallery
  const own = gallery.filter(isMain)
  return [...(own.length > 0 ? own : [{ id: '', url: main_image, alt_text: null }]), ...others]
}

/** The gallery as the product's unchanged form would send it. */
export function toGalleryBody(record: Pick<Product, 'gallery' | 'main_image'>): object[] {
  return shownPictures(record).map(({ id, url, alt_text, poster }, position) => ({
    ...(id ? { id } : {}),
    url,
    alt_text,
    position,
    ...(poster ? { poster } : {}),
  }))
}

export function toGalleryField(name: string, form: Form): string {
  const [list, index, part = 'url'] = name.split('.')
  if (list !== 'gallery' || index === undefined) return name
  const at = galleryRows(form).filter(({ isGone }) => !isGone)[Number(index)]?.at
  return at === undefined ? list : `gallery.${at}.${part}`
}

export function gallery(context: PageContext, record: Product | null, act: string): Html {
  const { t, base, rejection, form } = context
  const faults = rejection?.act === act ? rejection.faults : {}
  const usesInput = rejection?.act === act && !(rejection.status === 412 && !isChanged(form))
  const items = usesInput
    ? galleryRows(form)
    : (record ? shownPictures(record) : []).map((item, at) => ({ ...rowOfItem(item), at }))
  const about = {
    'data-upload': `${base}/pictures`,
    'data-most': maxFileBytes,
    'data-too-large': t('picture_too_large', { limit: maxFileMegabytes }),
    'data-uploading': t('picture_uploading'),
    ...countAttributes('added', (count) => t('pictures_added', { count })),
    'data-failed': t('picture_failed'),
    'data-moved': t('picture_moved', { place: '{place}' }),
  }
  return html`<media-gallery${attributes(about)}>
<ol class="pictures">${items.map((item, index) => renderGalleryRow(context, item, index + 1, faults))}</ol>
${renderFieldFault('gallery', faults.gallery)}
<template>${renderGalleryRow(context, emptyRow, 0, {})}</template>
<div class="drop" data-script hidden><p><label class="button quiet" for="bring">${t('pictures_choose')}</label>
<input id="bring" class="hidden" type="file" accept="image/*" multiple>
<span class="hint">${t('pictures_drop')}</span></p>
<p class="field"><label for="bring-url">${t('image_url')}</label>
<span class="pair"><input id="bring-url" type="url" placeholder="https://" autocomplete="off">
<button type="button" class="quiet" data-do="address">${t('picture_fetch')}</button></span></p></div>
<p class="hint" role="status"></p>
<p class="hint" data-plain-pictures>${t(record ? 'pictures_below' : 'pictures_later')}</p></media-gallery>`
}

const rowOfItem = ({ id, url, alt_text, poster = '' }: ShownPicture) => ({ id, url, alt_text, poster, isGone: false })

function isChanged(form: Form): boolean {
  const digests = submittedDigests(form)
  return !digests || isEdited(digests, 'gallery', galleryBody(form))
}

type GalleryRow = Omit<GalleryRowInput, 'at'> & { at: number | string }

function renderGalleryRow(
  { t, store }: PageContext,
  item: GalleryRow,
  place: number,
  faults: Record<string, string>,
): Html {
  const { at, id, url, alt_text, poster, isGone } = item
  const name = `gallery.${at}`
  const number = { name: `${name}.position`, value: place, size: 3, inputmode: 'numeric', 'aria-label': t('place') }
  const alt = { id: `${name}.alt_text`, name: `${name}.alt_text`, value: alt_text, maxlength: 500, autocomplete: 'off' }
  const removeBox = attributes({ type: 'checkbox', name: `${name}.gone`, value: '1', checked: isGone })
  const image = isFilm(url) ? poster : url
  const thumbnail = html`<img${attributes({ src: image && toPreviewUrl(image, store.id) })} alt="">`
  const fault = faults[`${name}.url`]
  return html`<li data-url="${url}" data-at="${at}">
${image || url === '' ? thumbnail : html`<code>${url}</code>`}
${hidden(`${name}.id`, id)}${hidden(`${name}.url`, url)}${poster ? hidden(`${name}.poster`, poster) : ''}
<div><label for="${name}.alt_text">${t('alt_text')}</label>
<input${attributes(alt)}${aboutField(`${name}.alt_text`, { fault: faults[`${name}.alt_text`] })}>
${renderFieldFault(`${name}.alt_text`, faults[`${name}.alt_text`])}${renderFieldFault(`${name}.url`, fault)}</div>
<div class="pair"><span data-plain><input${attributes(number)}>
<label class="choice"><input${removeBox}> ${t('remove')}</label></span>
<button type="button" class="quiet" data-script hidden data-do="earlier"
 aria-label="${t('move_left')}">${icon('left')}</button>
<button type="button" class="quiet" data-script hidden data-do="later"
 aria-label="${t('move_right')}">${icon('right')}</button>
<button type="button" class="link" data-script hidden data-do="remove">${t('remove')}</button></div></li>`
}

/** The script fills a copy for each added picture. */
const emptyRow = { at: '__', id: '', url: '', alt_text: null, poster: '', isGone: false }
