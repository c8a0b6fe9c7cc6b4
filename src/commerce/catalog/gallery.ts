// The images and videos of a product, in order.
import { either, list, object } from '../../kit/declare/composites.ts'
import type { ReadContext } from '../../kit/declare/field.ts'
import type { InvalidValue } from '../../kit/declare/invalidvalue.ts'
import { integer, text, url } from '../../kit/declare/scalars.ts'
import { newId } from '../../kit/values/ids.ts'

// prettier-ignore
const item = object({
  id:       text({ max: 64 }),
  url:      url().required().describe('Image URL, or a video ending in .mp4 or .webm'),
  alt_text: text({ max: 500 }).nullable(),
  position: integer({ min: 0, max: 1000 }),
  poster:   url().describe('Poster image of a video'),
}, { always: ['id', 'url', 'alt_text', 'position'] })

export type GalleryItem = { id: string; url: string; alt_text: string | null; position?: number; poster?: string }

/** A gallery item: an object, or a URL. */
const element = either<GalleryItem>([{ type: 'string', maxLength: 2048 }, item.spec.schema], read, item)

function read(input: string | object, context: ReadContext): GalleryItem | InvalidValue {
  const read = item.spec.read(typeof input === 'string' ? { url: input } : input, context) as any
  return 'url' in read ? { id: newId('img'), alt_text: null, ...read } : read
}

export const galleryField = () => list(element, { max: 50 }).becomes(inOrder)

/** Positions default to the order of the list. */
function inOrder(items: GalleryItem[]): (GalleryItem & { position: number })[] {
  return items
    .map((item, index) => ({ ...item, position: item.position ?? index }))
    .sort((a, b) => a.position - b.position)
}

/** Video formats that every browser plays, recognized by the end of the URL. */
export function isFilm(address: string): boolean {
  return /\.(mp4|webm)$/i.test(URL.parse(address)?.pathname ?? '')
}

/** The image to show where no video can be: a video is represented by its poster. */
function toStillImage({ url, poster }: Pick<GalleryItem, 'url' | 'poster'>): string | null {
  return isFilm(url) ? (poster ?? null) : url
}

/** The first image, for lists. */
export function firstPicture(items: readonly GalleryItem[] = []): string | null {
  return items.map(toStillImage).find((picture) => picture !== null) ?? null
}

/** All images without duplicates, the main one first. */
export function listProductImages({
  main_image,
  gallery,
}: {
  main_image: string | null
  gallery: GalleryItem[]
}): string[] {
  return [...new Set([main_image, ...gallery.map(toStillImage)])].filter((picture) => picture !== null)
}
