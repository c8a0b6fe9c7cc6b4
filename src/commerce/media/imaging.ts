// The program that looks into pictures and makes their sizes. It is a process of its own: what a stranger's file does
// to it, it does not do to the server, and whoever asks for a page comes first.
import os from 'node:os'
import sharp from 'sharp'
import { formats, leastSide, maximumPixels, mostSide } from './accepted.ts'
import type { Picture } from './picture.ts'
import { sizesFrom, type Sizes } from './sizes.ts'

type Format = (typeof formats)[number]
export type Measure = { width: number; height: number; format: Format }
export type Look = { width: number; height: number; colour: string; format: Format }
export type Unfit = { unfit: 'unreadable' | 'too_many_pixels' | 'wrong_sides' }
export type Task = { do: 'measure' | 'look'; bytes: Uint8Array } | { do: 'make'; bytes: Uint8Array; picture: Picture }
export type Answer = { measure: Measure | Unfit } | { look: Look | Unfit } | { sizes: Sizes | Unfit }

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
// Not the lowest: on a machine that is busy somebody waits for a look all the same.
os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL)

process.on('message', (task: Task) => {
  void answerTo(task).then((answer) => process.send!(answer))
})
process.on('disconnect', () => process.exit())

async function answerTo(task: Task): Promise<Answer> {
  switch (task.do) {
    case 'measure':
      return { measure: await measure(task.bytes) }
    case 'look':
      return { look: await lookAt(task.bytes) }
    case 'make':
      return { sizes: await sizesOf(task.bytes, task.picture) }
  }
}

/** By its first bytes: nothing of it is decoded. */
async function measure(bytes: Uint8Array): Promise<(Measure & { hasAlpha: boolean }) | Unfit> {
  try {
    const found = await sharp(bytes, { limitInputPixels: false }).metadata()
    const format = formats.find((one) => one === (found.compression === 'av1' ? 'avif' : found.format))
    if (!format) return { unfit: 'unreadable' }
    const { width, height } = found.autoOrient
    const [short, long] = [Math.min(width, height), Math.max(width, height)]
    if (short < leastSide || long > mostSide) return { unfit: 'wrong_sides' }
    if (width * height > maximumPixels) return { unfit: 'too_many_pixels' }
    return { width, height, format, hasAlpha: found.hasAlpha }
  } catch {
    return { unfit: 'unreadable' }
  }
}

/** All of it is decoded once, small: a file that ends too early is found here. */
async function lookAt(bytes: Uint8Array): Promise<Look | Unfit> {
  const found = await measure(bytes)
  if ('unfit' in found) return found
  try {
    const { hasAlpha, ...about } = found
    const small = opened(bytes).resize(lookSide, lookSide, { fit: 'inside' }).flatten({ background: '#fff' })
    const { dominant } = await sharp(await small.png({ compressionLevel: 0 }).toBuffer()).stats()
    // What can be seen through is drawn for a white page.
    return { ...about, colour: hasAlpha ? 'ffffff' : hex(dominant) }
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
