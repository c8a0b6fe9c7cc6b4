// Shop > Appearance: logo, colours, announcement and opening, beside the shop as it would look.
import { appearance, type Appearance } from '../../../storefront/branding/appearance.ts'
import { previewHome } from '../../../storefront/shop/preview.ts'
import { bodyOf } from '../../framework/formbody.ts'
import { readLeniently } from '../../framework/lenient.ts'
import { previewButton, previewed } from '../../framework/livepreview.ts'
import type { FormInput, PageResult, PageContext } from '../../framework/screen.ts'
import { settingsForm } from '../../framework/settingsform.ts'

// prettier-ignore
const inputs: FormInput[] = [
  { name: 'logo', hint: 'logo_hint', as: 'picture', group: 'brand' },
  { name: 'favicon', hint: 'favicon_hint', as: 'picture' },
  { name: 'accent_color', hint: 'accent_color_hint', as: 'colour', isHalf: true },
  { name: 'accent_color_dark', hint: 'accent_color_dark_hint', as: 'colour', isHalf: true },
  { name: 'font', isHalf: true },
  { name: 'corners', isHalf: true },
  { name: 'announcement', hint: 'announcement_hint', group: 'announcement_group' },
  { name: 'announcement_link', hint: 'link_hint' },
  { name: 'hero_image', hint: 'picture_url_hint', as: 'picture', group: 'hero' },
  { name: 'hero_title', hint: 'hero_title_hint' },
  { name: 'hero_text', hint: 'hero_text_hint', as: 'area', rows: 3 },
]

export const appearanceScreen = settingsForm({
  path: '/shop/appearance',
  title: 'appearance',
  section: 'shop',
  nav: {},
  api: '/store/appearance',
  inputs,
  around: previewed,
  beside: previewButton,
  preview,
})

/** What is typed wrongly looks as it is saved. */
async function preview(context: PageContext): Promise<PageResult> {
  const { form, store } = context
  const isSent = Object.keys(form).length > 0
  const body = isSent ? bodyOf(form, inputs, appearance.patch.schema, store) : {}
  const typed = readLeniently(appearance.patch, body, context) as Partial<Appearance>
  return { page: await previewHome(context, typed) }
}
