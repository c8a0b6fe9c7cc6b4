// The program that draws the demo store's pictures, in the sizes in which they are shown. It is a process of its own:
// the server starts meanwhile.
import sharp from 'sharp'
import { sizesFrom } from '../commerce/media/sizes.ts'
import type { Drawn } from './pictures.ts'

// A drawing without a size of its own is 72 dots an inch.
const usualDensity = 72

sharp.concurrency(1)
sharp.cache(false)

process.on('message', ({ svg, ...picture }: Drawn) => {
  const [, wide] = /viewBox="[\d.]+ [\d.]+ ([\d.]+) /.exec(svg)!
  const density = (usualDensity * picture.width) / Number(wide)
  const image = sharp(Buffer.from(svg), { density }).removeAlpha()
  void sizesFrom(image, picture).then((sizes) => process.send!(sizes))
})
process.on('disconnect', () => process.exit())
