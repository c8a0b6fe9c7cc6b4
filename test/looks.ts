// Small pictures of screens, kept beside the tests: a screen that looks different fails its test.
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import sharp from 'sharp'

/** The looks of a screen share a picture, side by side. */
export const widths = [1440, 1024, 390]
export const viewportHeight = 900
const schemes = ['light', 'dark'] as const
const looks = widths.flatMap((width) => schemes.map((scheme) => ({ width, scheme })))
/** Letters become gray, so that another version of the browser draws the same; places and colors stay. */
const scale = 1 / 4
/** A channel of a pixel may differ by this much of 255, and this share of the pixels by more. */
const tolerance = { channel: 32, share: 0.01 }

const kept = new URL('looks/', import.meta.url).pathname
const failed = new URL('../.tmp/looks/', import.meta.url).pathname

export type Shot = { data: Buffer; width: number; height: number }

/** What is visible of the page, small, by day and by night. */
export async function shotsOf(page: Page): Promise<Shot[]> {
  await page.evaluate('document.fonts.ready')
  const shots: Shot[] = []
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme })
    const png = await page.screenshot({ animations: 'disabled', caret: 'hide' })
    const width = Math.round(page.viewportSize()!.width * scale)
    const height = Math.round(viewportHeight * scale)
    shots.push({ data: await sharp(png).resize(width, height).removeAlpha().raw().toBuffer(), width, height })
  }
  return shots
}

export async function keepLooks(name: string, shots: Shot[], folder = kept): Promise<string> {
  await mkdir(folder, { recursive: true })
  const file = `${folder}${name}.png`
  const width = shots.reduce((sum, shot) => sum + shot.width, 0)
  let left = 0
  const pieces = shots.map((shot) => {
    const raw = { width: shot.width, height: shot.height, channels: 3 as const }
    left += shot.width
    return { input: shot.data, raw, left: left - shot.width, top: 0 }
  })
  await sharp({ create: { width, height: shots[0]!.height, channels: 3, background: '#fff' } })
    .composite(pieces)
    .png({ palette: true, colours: 128, dither: 0, effort: 10 })
    .toFile(file)
  return file
}

/** How the shots differ from those that are kept, as sentences. New pictures of a failure are left in `.tmp/looks`. */
export async function changesOf(name: string, shots: Shot[]): Promise<string[]> {
  const file = `${kept}${name}.png`
  if (!existsSync(file)) return [`${name}: no picture is kept`]
  const changes: string[] = []
  let left = 0
  for (const [index, { data, width, height }] of shots.entries()) {
    const before = await sharp(file).extract({ left, top: 0, width, height }).removeAlpha().raw().toBuffer()
    left += width
    const share = differing(before, data) / (width * height)
    const { width: full, scheme } = looks[index]!
    const percent = `${(share * 100).toFixed(1)} %`
    if (share > tolerance.share) changes.push(`${name}, ${full} px, ${scheme}: ${percent} of it differs`)
  }
  if (changes.length > 0) changes.push(`now: ${await keepLooks(name, shots, failed)}`)
  return changes
}

function differing(before: Buffer, after: Buffer): number {
  let count = 0
  for (let pixel = 0; pixel < after.length; pixel += 3) {
    const isOther = [0, 1, 2].some(
      (channel) => Math.abs(before[pixel + channel]! - after[pixel + channel]!) > tolerance.channel,
    )
    if (isOther) count++
  }
  return count
}
