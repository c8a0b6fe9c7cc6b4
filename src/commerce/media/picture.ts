// The address of a picture tells all that a page needs to show it: no page asks the database for it.
// /media/{store}/{hash}-{width}x{height}-{colour}/1280.jpg

/** `hash` is of what was uploaded; width and height are as it is seen, turned upright. */
export type Picture = { hash: string; width: number; height: number; colour: string }

export const root = '/media'
const widths = [320, 480, 640, 960, 1280, 2560]
/** Of the one size that everything can read: mail, feeds, previews of links. */
const plainWidth = 1280

/** The folder of its files, below its store's. */
export function nameOf({ hash, width, height, colour }: Picture): string {
  return `${hash}-${width}x${height}-${colour}`
}

/** Nothing is enlarged: the last is as wide as the picture, or as the widest size. */
function widthsOf({ width }: Pick<Picture, 'width'>): number[] {
  return [...widths.filter((one) => one < width), Math.min(width, widths.at(-1)!)].filter(
    (one, index, all) => all.indexOf(one) === index,
  )
}

/** Its files: each width as WebP, and one JPEG. */
export function filesOf(picture: Picture): { file: string; width: number; type: 'webp' | 'jpeg' }[] {
  return [
    ...widthsOf(picture).map((width) => ({ file: `${width}.webp`, width, type: 'webp' as const })),
    { file: plainFile(picture), width: Math.min(picture.width, plainWidth), type: 'jpeg' as const },
  ]
}

function plainFile({ width }: Pick<Picture, 'width'>): string {
  return `${Math.min(width, plainWidth)}.jpg`
}

export function folderOf(storeId: string, picture: Picture): string {
  return `${storeId}/${nameOf(picture)}`
}

/** As it was uploaded, until its sizes are made. Nobody is served it. */
export function originalOf(storeId: string, picture: Picture): string {
  return `${folderOf(storeId, picture)}/original`
}

/** All files that it may have. */
export function keysOf(storeId: string, picture: Picture): string[] {
  return [originalOf(storeId, picture), ...filesOf(picture).map(({ file }) => `${folderOf(storeId, picture)}/${file}`)]
}

export function pictureOf(name: string): Picture | null {
  const [, hash, width, height, colour] = nameForm.exec(name) ?? []
  return hash ? { hash, width: Number(width), height: Number(height), colour: colour! } : null
}

const nameForm = /^([0-9a-f]{32})-([1-9]\d{0,4})x([1-9]\d{0,4})-([0-9a-f]{6})$/

/** The address that merchants and programs are told. */
export function urlOf(baseUrl: string, storeId: string, picture: Picture): string {
  return `${baseUrl}${root}/${folderOf(storeId, picture)}/${plainFile(picture)}`
}

/** What a page says of a picture of its own store; null for any other, which is shown from where it is. */
export function sourcesOf(url: string, storeId: string): PictureSources | null {
  const [, store, name] = urlForm.exec(url) ?? []
  const picture = store === storeId && name ? pictureOf(name) : null
  if (!picture) return null
  // Below whatever domain the page is: the host in the URL may be another of the same service, or one of before.
  const folder = `${root}/${store}/${nameOf(picture)}`
  const sizes = widthsOf(picture)
  return {
    ...picture,
    src: `${folder}/${plainFile(picture)}`,
    srcset: sizes.map((size) => `${folder}/${size}.webp ${size}w`).join(', '),
    smallest: `${folder}/${sizes[0]}.webp`,
    largest: `${folder}/${sizes.at(-1)}.webp`,
  }
}

/** Whether it is the address of a picture that some store has uploaded: pages find its files below their own domain. */
export function isUploaded(url: string): boolean {
  const [, , name] = urlForm.exec(url) ?? []
  return name !== undefined && pictureOf(name) !== null
}

type PictureSources = Picture & { src: string; srcset: string; smallest: string; largest: string }

const urlForm = /^https?:\/\/[^/]+\/media\/([A-Z]{2}-[0-9A-Z]{8})\/([^/]+)\/\d+\.(?:jpg|webp)$/
