// The demo store's pictures, made from small SVG drawings.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Picture } from '../commerce/media/picture.ts'
import {
  bumps,
  featuredNames,
  grounds,
  simpleProducts,
  productsWithVariants,
  wrapping,
  type CategoryName,
} from './catalog.ts'

/** `svg` is the whole drawing, `alt` its alternative text. */
export type DemoPicture = Picture & { svg: string; alt: string }

const folder = new URL('drawings/', import.meta.url)
const [width, height] = [960, 1200]

// Definitions that the drawings refer to: light from the upper left, and shadows.
const [lighting] = /<defs>[^]*<\/defs>/.exec(readPictureFile('lights'))!

/** `drawing` names a file, optionally with a color: "blanket #6d7a55". */
function drawPicture(drawing: string, category: CategoryName, alt: string, { isClose = false } = {}): DemoPicture {
  const [name, colour] = drawing.split(' ')
  const ground = grounds[category]
  const room = `<rect width="400" height="500" fill="${ground}"/><rect width="400" height="500" fill="url(#glow)"/>`
  const svg = readPictureFile(name!)
    .replace(/color="#\w+"/, (usual) => (colour ? `color="${colour}"` : usual))
    .replace('viewBox="0 0 400 500"', isClose ? 'viewBox="96 130 220 275"' : '$&')
    .replace('>', `>\n${lighting}\n${room}`)
  return { ...hashPicture(svg), width, height, colour: ground.slice(1), svg, alt }
}

function readPictureFile(name: string): string {
  return readFileSync(new URL(`${name}.svg`, folder), 'utf8')
}

function hashPicture(svg: string): Pick<Picture, 'hash'> {
  return { hash: hash('sha256', svg).slice(0, 32) }
}

/** `main` is also the first of `gallery`, where there is one. */
type ProductPictures = { main: DemoPicture; gallery: DemoPicture[]; variants: Record<string, DemoPicture> }

/** Pictures by product name. */
export const productPictures = new Map<string, ProductPictures>([
  ...simpleProducts.map(([name, category, , , , drawing]): [string, ProductPictures] => {
    const main = drawPicture(drawing, category, name)
    const near = featuredNames.includes(name)
      ? [drawPicture(drawing, category, `${name}, from nearby`, { isClose: true })]
      : []
    return [name, { main, gallery: near.length > 0 ? [main, ...near] : [], variants: {} }]
  }),
  ...productsWithVariants.map(({ name, category, drawings }): [string, ProductPictures] => {
    const each = Object.entries(drawings).map(([colour, drawing]) => [
      colour,
      drawPicture(drawing, category, `${name}, ${colour.toLowerCase()}`),
    ])
    const variants = Object.fromEntries(each) as Record<string, DemoPicture>
    const gallery = Object.values(variants)
    return [name, { main: gallery[0]!, gallery, variants }]
  }),
])

export const wrappingPicture = drawPicture(wrapping, 'Gifts', bumps[0]!.title)

const harbour = readPictureFile('harbour')
export const heroPicture: DemoPicture = {
  ...hashPicture(harbour),
  width: 1600,
  height: 900,
  colour: '8fb9bd',
  svg: harbour,
  alt: 'A harbour between pines, with boats and two houses by the pier',
}

/** All pictures in the order of the home page: featured products first, then the newest. */
export function allPictures(): DemoPicture[] {
  const ofProducts = [
    ...featuredNames.map((name) => productPictures.get(name)!),
    ...[...productPictures.values()].reverse(),
  ]
  const onHome = ofProducts.map(({ main }) => main)
  const all = [heroPicture, ...onHome, ...ofProducts.flatMap(({ gallery }) => gallery), wrappingPicture]
  return [...new Map(all.map((picture) => [picture.hash, picture])).values()]
}
