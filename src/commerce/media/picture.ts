// An image's URL contains everything that a page needs to show it, so that pages never query the database for it.
// /media/{store}/{hash}-{width}x{height}-{colour}/1280.jpg

/** `hash` is the hash of the original; width and height apply after rotation. */
export type Picture = { hash: string; width: number; height: number; colour: string }

export const root = '/media'
const widths = [320, 480, 640, 960, 1280, 2560]
/** The width of the JPEG that everything can read: emails, feeds and link previews. */
const plainWidth = 1280

/** The folder of the image's files, inside the store's folder. */
export function buildPictureName({ hash, width, height, colour }: Picture): string {
  return `${hash}-${width}x${height}-${colour}`
}

/** Images are not enlarged: the last width is that of the image, or the largest rendition. */
function listPictureWidths({ width }: Pick<Picture, 'width'>): number[] {
  return [...widths.filter((one) => one < width), Math.min(width, widths.at(-1)!)].filter(
    (one, index, all) => all.indexOf(one) === index,
  )
}

/** The image's files: each width as WebP, and one JPEG. */
export function listPictureFiles(picture: Picture): { file: string; width: number; type: 'webp' | 'jpeg' }[] {
  return [
    ...listPictureWidths(picture).map((width) => ({ file: `${width}.webp`, width, type: 'webp' as const })),
    { file: plainFile(picture), width: Math.min(picture.width, plainWidth), type: 'jpeg' as const },
  ]
}

function plainFile({ width }: Pick<Picture, 'width'>): string {
  return `${Math.min(width, plainWidth)}.jpg`
}

export function buildPictureFolder(storeId: string, picture: Picture): string {
  return `${storeId}/${buildPictureName(picture)}`
}

/** The original, kept until the renditions exist. It is never served. */
export function buildOriginalKey(storeId: string, picture: Picture): string {
  return `${buildPictureFolder(storeId, picture)}/original`
}

/** All files that the image can have. */
export function listPictureKeys(storeId: string, picture: Picture): string[] {
  return [
    buildOriginalKey(storeId, picture),
    ...listPictureFiles(picture).map(({ file }) => `${buildPictureFolder(storeId, picture)}/${file}`),
  ]
}

export function parsePictureName(name: string): Picture | null {
  const [, hash, width, height, colour] = nameForm.exec(name) ?? []
  return hash ? { hash, width: Number(width), height: Number(height), colour: colour! } : null
}

const nameForm = /^([0-9a-f]{32})-([1-9]\d{0,4})x([1-9]\d{0,4})-([0-9a-f]{6})$/

/** The URL in API responses. */
export function buildPictureUrl(baseUrl: string, storeId: string, picture: Picture): string {
  return `${baseUrl}${root}/${buildPictureFolder(storeId, picture)}/${plainFile(picture)}`
}

/** The sources of an image of this store; null for any other image, which is shown from its own URL. */
export function buildPictureSources(url: string, storeId: string): PictureSources | null {
  const [, store, name] = urlForm.exec(url) ?? []
  const picture = store === storeId && name ? parsePictureName(name) : null
  if (!picture) return null
  // The path works on any domain of the store: the URL may contain another or a former host of this service.
  const folder = `${root}/${store}/${buildPictureName(picture)}`
  const sizes = listPictureWidths(picture)
  return {
    ...picture,
    src: `${folder}/${plainFile(picture)}`,
    srcset: sizes.map((size) => `${folder}/${size}.webp ${size}w`).join(', '),
    smallest: `${folder}/${sizes[0]}.webp`,
    largest: `${folder}/${sizes.at(-1)}.webp`,
  }
}

/** True for the URL of an uploaded image. Pages load its files from their own domain. */
export function isUploaded(url: string): boolean {
  const [, , name] = urlForm.exec(url) ?? []
  return name !== undefined && parsePictureName(name) !== null
}

type PictureSources = Picture & { src: string; srcset: string; smallest: string; largest: string }

const urlForm = /^https?:\/\/[^/]+\/media\/([A-Z]{2}-[0-9A-Z]{8})\/([^/]+)\/\d+\.(?:jpg|webp)$/
