// The pictures of the demo store: drawings, which weigh little. All that is told of one follows from its drawing.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Picture } from '../commerce/media/picture.ts'
import { bumps, featured, grounds, plain, varied, wrapping, type Category } from './shelf.ts'

/** `svg` is all of it, `alt` what it shows. */
export type Drawn = Picture & { svg: string; alt: string }

const folder = new URL('drawings/', import.meta.url)
const [width, height] = [960, 1200]

// What drawings refer to: how light falls on a thing from the left and from above, and its shadow.
const [lights] = /<defs>[^]*<\/defs>/.exec(fileOf('lights'))!

/** `drawing` names a file, perhaps with a colour of its own: "blanket #6d7a55". */
function thing(drawing: string, category: Category, alt: string, { isClose = false } = {}): Drawn {
  const [name, colour] = drawing.split(' ')
  const ground = grounds[category]
  const room = `<rect width="400" height="500" fill="${ground}"/><rect width="400" height="500" fill="url(#glow)"/>`
  const svg = fileOf(name!)
    .replace(/color="#\w+"/, (usual) => (colour ? `color="${colour}"` : usual))
    .replace('viewBox="0 0 400 500"', isClose ? 'viewBox="96 130 220 275"' : '$&')
    .replace('>', `>\n${lights}\n${room}`)
  return { ...named(svg), width, height, colour: ground.slice(1), svg, alt }
}

function fileOf(name: string): string {
  return readFileSync(new URL(`${name}.svg`, folder), 'utf8')
}

function named(svg: string): Pick<Picture, 'hash'> {
  return { hash: hash('sha256', svg).slice(0, 32) }
}

/** Those of a product: the first is its main one. */
type OfProduct = { main: Drawn; gallery: Drawn[]; variants: Record<string, Drawn> }

/** By the names of products. */
export const productPictures = new Map<string, OfProduct>([
  ...plain.map(([name, category, , , , drawing]): [string, OfProduct] => {
    const main = thing(drawing, category, name)
    const near = featured.includes(name) ? [thing(drawing, category, `${name}, from nearby`, { isClose: true })] : []
    return [name, { main, gallery: near.length > 0 ? [main, ...near] : [], variants: {} }]
  }),
  ...varied.map(({ name, category, drawings }): [string, OfProduct] => {
    const each = Object.entries(drawings).map(([colour, drawing]) => [
      colour,
      thing(drawing, category, `${name}, ${colour.toLowerCase()}`),
    ])
    const variants = Object.fromEntries(each) as Record<string, Drawn>
    const gallery = Object.values(variants)
    return [name, { main: gallery[0]!, gallery, variants }]
  }),
])

export const wrappingPicture = thing(wrapping, 'Gifts', bumps[0]!.title)

const harbour = fileOf('harbour')
export const heroPicture: Drawn = {
  ...named(harbour),
  width: 1600,
  height: 900,
  colour: '8fb9bd',
  svg: harbour,
  alt: 'A harbour between pines, with boats and two houses by the pier',
}

/** Every one, in the order in which a visitor comes upon them: the home page has what is featured, then the newest. */
export function allPictures(): Drawn[] {
  const ofProducts = [...featured.map((name) => productPictures.get(name)!), ...[...productPictures.values()].reverse()]
  const onHome = ofProducts.map(({ main }) => main)
  const all = [heroPicture, ...onHome, ...ofProducts.flatMap(({ gallery }) => gallery), wrappingPicture]
  return [...new Map(all.map((picture) => [picture.hash, picture])).values()]
}
