// The program that looks into pictures and makes their sizes. It is a process of its own: what a stranger's file does
// to it, it does not do to the server, and whoever asks for a page comes first.
import os from 'node:os'
import sharp from 'sharp'
import { formats, leastSide, maximumPixels, mostSide } from './accepted.ts'
import type { Picture } from './picture.ts'
import { sizesFrom, type Sizes } from './sizes.ts'

export type Look = { width: number; height: number; colour: string; format: (typeof formats)[number] }
export type Unfit = { unfit: 'unreadable' | 'too_many_pixels' | 'wrong_sides' }
/** Without `picture` it is looked at; with it, its sizes are made. */
export type Ask = { bytes: Uint8Array; picture?: Picture }
export type Answer = { look: Look | Unfit } | { sizes: Sizes | Unfit }

const lookSide = 48

sharp.concurrency(1)
sharp.cache(false)
// Nothing else is even tried: no SVG, no PDF, no program that draws.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadJpeg',
    'VipsForeignLoadPng',
    'VipsForeignLoadWebp',
    'VipsForeignLoadNsgif',
    'VipsForeignLoadHeif',
  ],
})
os.setPriority(os.constants.priority.PRIORITY_LOW)

process.on('message', ({ bytes, picture }: Ask) => {
  const work = picture ? sizesOf(bytes, picture).then((sizes) => ({ sizes })) : lookAt(bytes).then((look) => ({ look }))
  void work.then((answer: Answer) => process.send!(answer))
})
process.on('disconnect', () => process.exit())

/** All of it is decoded once, small: a file that ends too early is found here. */
async function lookAt(bytes: Uint8Array): Promise<Look | Unfit> {
  try {
    const found = await sharp(bytes, { limitInputPixels: false }).metadata()
    const format = formats.find((one) => one === (found.compression === 'av1' ? 'avif' : found.format))
    if (!format) return { unfit: 'unreadable' }
    const { width, height } = found.autoOrient
    const [short, long] = [Math.min(width, height), Math.max(width, height)]
    if (short < leastSide || long > mostSide) return { unfit: 'wrong_sides' }
    if (width * height > maximumPixels) return { unfit: 'too_many_pixels' }
    const small = opened(bytes).resize(lookSide, lookSide, { fit: 'inside' }).flatten({ background: '#fff' })
    const { dominant } = await sharp(await small.png({ compressionLevel: 0 }).toBuffer()).stats()
    // What can be seen through is drawn for a white page.
    return { width, height, format, colour: found.hasAlpha ? 'ffffff' : hex(dominant) }
  } catch {
    return { unfit: 'unreadable' }
  }
}

async function sizesOf(bytes: Uint8Array, picture: Picture): Promise<Sizes | Unfit> {
  try {
    return await sizesFrom(opened(bytes).autoOrient(), picture)
  } catch {
    return { unfit: 'unreadable' }
  }
}

function opened(bytes: Uint8Array) {
  return sharp(bytes, { limitInputPixels: maximumPixels, failOn: 'error' }).timeout({ seconds: 20 })
}

function hex({ r, g, b }: { r: number; g: number; b: number }): string {
  return [r, g, b].map((part) => part.toString(16).padStart(2, '0')).join('')
}
