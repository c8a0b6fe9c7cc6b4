// The renditions of an image, each made from the next larger one.
import sharp, { type Sharp } from 'sharp'
import { listPictureFiles, type Picture } from './picture.ts'

export type Sizes = { file: string; bytes: Buffer }[]

// On a scale from 1 to 6; each step takes a fifth more CPU time, which the saved bytes are not worth.
const effort = 2

/** Goes from large to small, so that the image is decoded only once. Metadata is dropped. */
export async function sizesFrom(image: Sharp, picture: Picture): Promise<Sizes> {
  const files = listPictureFiles(picture).sort((a, b) => b.width - a.width)
  let raw = await image.toColourspace('srgb').resize(files[0]!.width).raw().toBuffer({ resolveWithObject: true })
  const sizes: Sizes = []
  for (const { file, width, type } of files) {
    const { width: now, height, channels } = raw.info
    const source = () => sharp(raw.data, { raw: { width: raw.info.width, height: raw.info.height, channels } })
    if (width < now) {
      const lower = Math.max(1, Math.round((height * width) / now))
      raw = await source().resize(width, lower, { fit: 'fill' }).raw().toBuffer({ resolveWithObject: true })
    }
    const encoder =
      type === 'webp'
        ? source().webp({ quality: 78, effort })
        : source().flatten({ background: '#fff' }).jpeg({ quality: 80, progressive: true })
    sizes.push({ file, bytes: await encoder.toBuffer() })
  }
  return sizes
}
