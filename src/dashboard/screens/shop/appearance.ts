// Shop > Appearance: logo, colors, announcement and hero, with a preview.
import { appearance, type Appearance } from '../../../storefront/branding/appearance.ts'
import { previewHome } from '../../../storefront/shop/preview.ts'
import { inputFormatOf, readFormBody } from '../../framework/formbody.ts'
import { readLeniently } from '../../framework/lenient.ts'
import { previewButton, renderWithPreview } from '../../framework/livepreview.ts'
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
  around: renderWithPreview,
  beside: previewButton,
  preview,
})

/** Invalid values keep their saved ones in the preview. */
async function preview(context: PageContext): Promise<PageResult> {
  const { form } = context
  const isSubmitted = Object.keys(form).length > 0
  const body = isSubmitted ? readFormBody(form, inputs, appearance.patch.schema, inputFormatOf(context)) : {}
  const look = readLeniently(appearance.patch, body, context) as Partial<Appearance>
  return { page: await previewHome(context, look) }
}
