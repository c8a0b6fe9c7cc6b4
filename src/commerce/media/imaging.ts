// The program that decodes images and creates their renditions. It is a separate process, so that a malicious file
// cannot harm the server, and it runs at a lower priority than requests for pages.
import os from 'node:os'
import sharp from 'sharp'
import { formats, minSide, maxPixels, maxSide } from './limits.ts'
import type { Picture } from './picture.ts'
import { sizesFrom, type Sizes } from './sizes.ts'

type ImageFormat = (typeof formats)[number]
export type ImageMeasure = { width: number; height: number; format: ImageFormat }
export type ImageFacts = { width: number; height: number; colour: string; format: ImageFormat }
export type UnfitImage = { unfit: 'unreadable' | 'too_many_pixels' | 'wrong_sides' }
export type ImagingTask =
  | { do: 'measure' | 'look'; bytes: Uint8Array }
  | { do: 'make'; bytes: Uint8Array; picture: Picture }
export type ImagingAnswer =
  | { measure: ImageMeasure | UnfitImage }
  | { look: ImageFacts | UnfitImage }
  | { sizes: Sizes | UnfitImage }

const sampleSide = 48

sharp.concurrency(1)
sharp.cache(false)
// No other loaders are allowed: no SVG, no PDF, no scripts.
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
// Not the lowest priority, because on a busy machine requests still wait for inspections.
os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL)

process.on('message', (task: ImagingTask) => {
  void answerTo(task).then((answer) => process.send!(answer))
})
process.on('disconnect', () => process.exit())

async function answerTo(task: ImagingTask): Promise<ImagingAnswer> {
  switch (task.do) {
    case 'measure':
      return { measure: await measure(task.bytes) }
    case 'look':
      return { look: await inspect(task.bytes) }
    case 'make':
      return { sizes: await createSizes(task.bytes, task.picture) }
  }
}

/** Reads the header without decoding the image. */
async function measure(bytes: Uint8Array): Promise<(ImageMeasure & { hasAlpha: boolean }) | UnfitImage> {
  try {
    const metadata = await sharp(bytes, { limitInputPixels: false }).metadata()
    const format = formats.find((one) => one === (metadata.compression === 'av1' ? 'avif' : metadata.format))
    if (!format) return { unfit: 'unreadable' }
    const { width, height } = metadata.autoOrient
    const [short, long] = [Math.min(width, height), Math.max(width, height)]
    if (short < minSide || long > maxSide) return { unfit: 'wrong_sides' }
    if (width * height > maxPixels) return { unfit: 'too_many_pixels' }
    return { width, height, format, hasAlpha: metadata.hasAlpha }
  } catch {
    return { unfit: 'unreadable' }
  }
}

/** Decodes the whole image once at a small size, which finds truncated files. */
async function inspect(bytes: Uint8Array): Promise<ImageFacts | UnfitImage> {
  const size = await measure(bytes)
  if ('unfit' in size) return size
  try {
    const { hasAlpha, ...facts } = size
    const small = openImage(bytes).resize(sampleSide, sampleSide, { fit: 'inside' }).flatten({ background: '#fff' })
    const { dominant } = await sharp(await small.png({ compressionLevel: 0 }).toBuffer()).stats()
    // Transparent images are made for white pages, so their placeholder is white.
    return { ...facts, colour: hasAlpha ? 'ffffff' : hex(dominant) }
  } catch {
    return { unfit: 'unreadable' }
  }
}

async function createSizes(bytes: Uint8Array, picture: Picture): Promise<Sizes | UnfitImage> {
  try {
    return await sizesFrom(openImage(bytes).autoOrient(), picture)
  } catch {
    return { unfit: 'unreadable' }
  }
}

function openImage(bytes: Uint8Array) {
  return sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' }).timeout({ seconds: 20 })
}

function hex({ r, g, b }: { r: number; g: number; b: number }): string {
  return [r, g, b].map((part) => part.toString(16).padStart(2, '0')).join('')
}
