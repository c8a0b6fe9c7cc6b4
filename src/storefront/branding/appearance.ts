// The look of a shop and its contact details: a part of the store with its own operation.
import { list } from '../../kit/declare/composites.ts'
import type { Db, Tx } from '../../kit/database/database.ts'
import type { Entity, Patch } from '../../kit/declare/field.ts'
import { resource, type Json } from '../../kit/declare/resource.ts'
import { choice, email, text } from '../../kit/declare/scalars.ts'
import { reason, type Reason } from '../../kit/values/faults.ts'
import { sql } from '../../kit/database/sql.ts'
import { updateFace } from '../../tenancy/stores/operations.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { colourForm, contrastOfControls, contrastOn, shadeFor, type Palette } from './colours.ts'
import { httpsUrl, link, pictureUrl } from './links.ts'
import { brandingFaults } from './errors.ts'

export const fonts = ['sans', 'serif', 'rounded'] as const
export const corners = ['rounded', 'square', 'round'] as const

function colour(palette: Palette) {
  return text({ max: 7, pattern: colourForm })
    .becomes((value) => value.toLowerCase())
    .rule((value) => isSeen(palette, value))
}

function isSeen(palette: Palette, value: string): Reason | null {
  const ratio = contrastOn(palette, value)
  if (ratio >= contrastOfControls) return null
  const better = shadeFor(palette, value, contrastOfControls)
  // Rounded down: 2.96 is not 3.
  const contrast = (Math.floor(ratio * 10) / 10).toFixed(1)
  return reason(brandingFaults.too_faint, { ratio: contrast, palette, limit: contrastOfControls, better })
}

// prettier-ignore
export const appearance = resource('stores', {
  logo:              pictureUrl().nullable().describe('URL of the logo, shown in place of the name'),
  favicon:           pictureUrl().nullable().describe('URL of the browser tab icon'),
  accent_color:      colour('light').nullable().example('#0b5f4a')
    .describe('Color of buttons and highlights; contrast ratio of at least 3 on light pages'),
  accent_color_dark: colour('dark').nullable().example('#5ccba8')
    .describe('Accent color on dark pages. Defaults to a lighter shade of accent_color'),
  font:              choice(fonts).describe('System font family; nothing is downloaded'),
  corners:           choice(corners).describe('Shape of the corners of buttons and images'),
  announcement:      text({ min: 1, max: 200 }).nullable().example('Free shipping this week')
    .describe('One-line banner at the top of every page'),
  announcement_link: link().nullable().describe('URL that the announcement links to'),
  hero_image:        pictureUrl().nullable().describe('URL of the image at the top of the home page'),
  hero_title:        text({ min: 1, max: 120 }).nullable()
    .describe("Heading of the home page. Defaults to the store's title"),
  hero_text:         text({ min: 1, max: 1000 }).nullable()
    .describe("Introduction on the home page. Defaults to the store's description"),
  legal_name:        text({ min: 1, max: 200 }).nullable().example('Corner Shop LLC')
    .describe('Legal name of the business'),
  contact_email:     email().nullable().example('hello@shop.example').describe('Email address shown to shoppers'),
  contact_phone:     text({ min: 1, max: 40 }).nullable().example('+52 55 1234 5678')
    .describe('Phone number shown to shoppers'),
  contact_address:   text({ min: 1, max: 500 }).nullable().example('Calle 60 no. 482\nMérida')
    .describe('Postal address shown to shoppers'),
  social_links:      list(httpsUrl(), { max: 10, unique: true }).describe('Links to social profiles'),
}, {}, { noun: 'Appearance' })

export type Appearance = Entity<typeof appearance.fields>

export async function findAppearance(db: Db, { id }: Store): Promise<Json<Appearance>> {
  const [row] = await db.texts(sql`
    select ${appearance.columns}
    from stores
    where id = ${id}`)
  return appearance.serialise(row!)
}

/** Fields that are left out stay as they are. */
export async function changeAppearance(
  tx: Tx,
  store: Store,
  patch: Patch<typeof appearance.fields>,
): Promise<Json<Appearance>> {
  if (Object.keys(patch).length === 0) return findAppearance(tx, store)
  return updateFace(tx, store.id, appearance, patch, { hasPictures: true })
}
