// Checks the contrast of a color on the pages, and suggests a readable shade. WCAG 2.2: 1.4.3, 1.4.11.

/** Backgrounds of the pages in base.css: --paper and --ground by day and by night. */
export const grounds = { light: ['#ffffff', '#f5f5f2'], dark: ['#151614', '#1d1f1c'] } as const

export type Palette = keyof typeof grounds

/** Minimum contrast of a button with the page, and of its text with the button. */
export const contrastOfControls = 3
export const contrastOfText = 4.5

export const colourForm = '^#[0-9a-fA-F]{6}$'

type Rgb = readonly [number, number, number]

export function contrast(one: string, other: string): number {
  const [darker, lighter] = [luminance(toRgb(one)), luminance(toRgb(other))].sort((a, b) => a - b) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

/** Contrast with the closer background. */
export function contrastOn(palette: Palette, colour: string): number {
  return Math.min(...grounds[palette].map((ground) => contrast(colour, ground)))
}

/** The nearest shade with this contrast: darker by day, lighter by night. */
export function shadeFor(palette: Palette, colour: string, least: number): string {
  const end: Rgb = palette === 'light' ? [0, 0, 0] : [255, 255, 255]
  const steps = Array.from({ length: 51 }, (_, step) => mixColors(toRgb(colour), end, step / 50))
  return steps.find((shade) => contrastOn(palette, shade) >= least)!
}

/** Black or white, whichever is readable on the color. */
export function textOn(colour: string): '#000' | '#fff' {
  return contrast(colour, '#ffffff') >= contrastOfText ? '#fff' : '#000'
}

function toRgb(colour: string): Rgb {
  const bits = Number.parseInt(colour.slice(1), 16)
  return [bits >> 16, (bits >> 8) & 255, bits & 255]
}

function mixColors(from: Rgb, to: Rgb, part: number): string {
  const parts = from.map((value, index) => Math.round(value + (to[index]! - value) * part))
  return `#${parts.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
