// The style sheet of a store's own look. Its URL contains all settings, so it needs no query and can be cached forever.
import { createHash } from 'node:crypto'
import { notFound } from '../../kit/values/errors.ts'
import { corners, fonts, type Appearance } from './appearance.ts'
import { contrastOfText, shadeFor, textOn } from './colours.ts'

export const stylesheetPrefix = '/s/_/look'

type ShopLook = Pick<Appearance, 'font' | 'corners'> & {
  /** By day and by night; null for the default. */
  accent: readonly [light: string, dark: string] | null
}

// prettier-ignore
const families = {
  sans:    null,
  serif:   "ui-serif,Georgia,Cambria,'Times New Roman',serif",
  rounded: "ui-rounded,'SF Pro Rounded','Hiragino Maru Gothic ProN',Nunito,Calibri,system-ui,sans-serif",
} satisfies Record<ShopLook['font'], string | null>

// prettier-ignore
const edges = {
  rounded: null,
  square:  '*{border-radius:0!important}',
  round:   'button,.button,.chip span,select,.tile,input:not([type=radio],[type=checkbox]){border-radius:1.5rem}',
} satisfies Record<ShopLook['corners'], string | null>

/** The path of the style sheet; null for the default look. */
export function stylesheetPath({ font, corners, ...colours }: Appearance): string | null {
  const look: ShopLook = { font, corners, accent: deriveAccent(colours) }
  const css = renderLookCss(look)
  return css === '' ? null : `${stylesheetPrefix}/${buildStylesheetName(look)}/${hashStylesheet(css)}.css`
}

/** The style sheet of a URL. NOT_FOUND also for sheets of another release. */
export function stylesheetAt(name: string, file: string): string {
  const look = lookFromName(name)
  const css = look ? renderLookCss(look) : ''
  if (css === '' || file !== `${hashStylesheet(css)}.css`) throw notFound('Style sheet')
  return css
}

/** The accent by day and by night; null for the default. */
export function deriveAccent({
  accent_color,
  accent_color_dark,
}: Pick<Appearance, 'accent_color' | 'accent_color_dark'>): [light: string, dark: string] | null {
  const light = accent_color ?? (accent_color_dark && shadeFor('light', accent_color_dark, contrastOfText))
  const dark = accent_color_dark ?? (light && shadeFor('dark', light, contrastOfText))
  return light && dark ? [light, dark] : null
}

function buildStylesheetName({ font, corners, accent }: ShopLook): string {
  return [font, corners, ...(accent ?? []).map((colour) => colour.slice(1))].join('-')
}

function lookFromName(name: string): ShopLook | null {
  const [font, corner, ...colours] = name.split('-')
  const [knownFont, knownCorners] = [fonts.find((one) => one === font), corners.find((one) => one === corner)]
  if (!knownFont || !knownCorners || !colours.every((colour) => /^[0-9a-f]{6}$/.test(colour))) return null
  const [light, dark, more] = colours.map((colour) => `#${colour}`)
  if (more || (light && !dark)) return null
  return { font: knownFont, corners: knownCorners, accent: light && dark ? [light, dark] : null }
}

function renderLookCss({ font, corners, accent }: ShopLook): string {
  const [light, dark] = accent ?? []
  const variables = (colour: string) => `:root{--accent:${colour};--on-accent:${textOn(colour)}}`
  return [
    light && variables(light),
    dark && `@media(prefers-color-scheme:dark){${variables(dark)}}`,
    families[font] && `body{font-family:${families[font]}}`,
    edges[corners],
  ]
    .filter(Boolean)
    .join('')
}

function hashStylesheet(css: string): string {
  return createHash('sha256').update(css).digest('base64url').slice(0, 8)
}
