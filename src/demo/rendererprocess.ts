// A process that renders the demo store's pictures in all sizes, so that the server can start meanwhile.
import sharp from 'sharp'
import { sizesFrom } from '../commerce/media/sizes.ts'
import type { DemoPicture } from './pictures.ts'

// The density of an SVG without a size of its own, in dots per inch.
const defaultDensity = 72

sharp.concurrency(1)
sharp.cache(false)

process.on('message', ({ svg, ...picture }: DemoPicture) => {
  const [, wide] = /viewBox="[\d.]+ [\d.]+ ([\d.]+) /.exec(svg)!
  const density = (defaultDensity * picture.width) / Number(wide)
  const image = sharp(Buffer.from(svg), { density }).removeAlpha()
  void sizesFrom(image, picture).then((sizes) => process.send!(sizes))
})
process.on('disconnect', () => process.exit())
