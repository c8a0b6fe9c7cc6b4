// The images of a product's rows, in the order that the file gives them.
import { remark, rowNotes } from './notes.ts'
import { isExported, type Draft, type FieldValue, type MappedRow } from './record.ts'

export const maxImages = 50

type RowImage = { url: string; position: number; number: number; value: FieldValue; parts: object }

export function putImages(draft: Draft, rows: readonly MappedRow[], variantRows: readonly MappedRow[]): void {
  const isExact = isExported(rows)
  const images: RowImage[] = []
  for (const row of rows) {
    const { number, values } = row
    for (const field of ['image_url', 'images']) {
      const value = values.get(field)
      if (!value) continue
      const urls = [value.value].flat().map(String)
      const usable = isExact ? urls : urls.filter((url) => isAddress(url))
      if (usable.length < urls.length) {
        draft.notes.push(remark({ number, column: value.column }, rowNotes.image_without_url))
      }
      const position = field === 'image_url' ? Number(values.get('image_position')?.value ?? Infinity) : Infinity
      const parts = field === 'image_url' ? listParts(row) : {}
      for (const url of usable) {
        if (isExact || !images.some((one) => one.url === url)) images.push({ url, position, number, value, parts })
      }
      const place = variantRows.indexOf(row)
      if (place >= 0 && field === 'images' && usable[0]) draft.input.variants[place].image ??= usable[0]
    }
  }
  putGallery(draft, images)
}

/** A path of another system's own folders leads nowhere. */
function isAddress(url: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(url)
}

function listParts({ values }: MappedRow): object {
  const [alt, poster] = [values.get('image_alt')?.value, values.get('image_poster')?.value]
  return { ...(alt ? { alt_text: String(alt).slice(0, 500) } : {}), ...(poster ? { poster } : {}) }
}

function putGallery({ input, notes, places }: Draft, images: RowImage[]): void {
  if (images.length === 0) return
  const inOrder = images.some(({ position }) => Number.isFinite(position))
    ? images.toSorted((a, b) => (a.position === b.position ? 0 : a.position - b.position))
    : images
  inOrder.forEach(({ number, value }, at) => places.set(`gallery.${at}`, { number, column: value.column }))
  const excess = inOrder[maxImages]
  if (excess) {
    const { number, value } = excess
    notes.push(remark({ number, column: value.column }, rowNotes.too_many_images, { limit: maxImages }))
  }
  input.gallery = inOrder.slice(0, maxImages).map(({ url, parts }) => ({ url, ...parts }))
}
