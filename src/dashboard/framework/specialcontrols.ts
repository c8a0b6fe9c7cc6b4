// Controls for values that a plain input does not fit: lists, countries, secrets, colors.
import { nameOfCountry } from '../../kit/values/countries.ts'
import { html } from 'hono/html'
import { maxFileBytes, maxFileMegabytes } from '../../commerce/media/limits.ts'
import { field, type Form } from '../../platform/pages/form.ts'
import { attributes } from '../../platform/pages/parts.ts'
import { iconAlone, type IconName } from './icons.ts'
import { toPreviewUrl } from './picturepreview.ts'
import { provinceName } from '../../kit/values/provinces.ts'
import { countries, provinces } from './choices.ts'
import { splitInputLines } from './formbody.ts'
import { tokenList } from './tokenlist.ts'
import type { Html, FormInput, SpecialControl, PageContext } from './screen.ts'

type SpecialControlProps = {
  context: PageContext
  id: string
  name: string
  label: string
  value: unknown
  about: Html
  rows?: number
  maxlength?: number | undefined
  suggestions: readonly string[]
}

/** The field and text of an input's error. In a list of lines, the text begins with the line. */
export function locateFieldError(
  faults: Record<string, string>,
  { name, as }: Pick<FormInput, 'name' | 'as'>,
  form: Form,
): [at: string, text: string] | [] {
  if (faults[name] !== undefined) return [name, faults[name]]
  const fault = Object.entries(faults).find(([at]) => at.startsWith(`${name}.`))
  if (!fault || (as !== 'lines' && as !== 'countries' && as !== 'provinces')) return []
  const [at, text] = fault
  const line = splitInputLines(field(form, name), as)[Number(at.slice(name.length + 1))]
  return [at, line ? `${line}: ${text}` : text]
}

export function specialControl(as: SpecialControl, props: SpecialControlProps): Html {
  const { id, label } = props
  return html`<label for="${id}">${label}</label>${specialControls[as](props)}`
}

export const specialControls: Record<SpecialControl, (props: SpecialControlProps) => Html> = {
  lines: (props) => {
    const { context, value, suggestions } = props
    return tokenList(context, { ...props, values: linesIn(value), among: suggestions, isFree: true, hasCommas: true })
  },
  countries: (props) => {
    const { context, value } = props
    const values = linesIn(value).map((code) => nameOfCountry(context.language, code))
    const among = countries(context).map(([, name]) => name)
    return tokenList(context, { ...props, values, among, placeholder: context.t('country_add'), hasCommas: true })
  },
  /** Provinces of the form's country, or of the store's. */
  provinces: (props) => {
    const { context, value } = props
    const lines = linesIn(value)
    const country = field(context.form, 'country_code') || lines[0]?.slice(0, 2) || context.store.country_code
    const values = lines.map((code) => provinceName(code) ?? code)
    const among = provinces(context, country).map(([, name]) => name)
    return tokenList(context, { ...props, values, among, placeholder: context.t('province_add') })
  },
  /** The stored secret is not shown; an empty field keeps it. */
  secret: ({ context, id, name, value, about }) => {
    const placeholder = value ? context.t('secret_is_set') : null
    const own = attributes({ id, name, type: 'password', autocomplete: 'new-password', placeholder, maxlength: 4096 })
    return html`<input${own}${about}>`
  },
  colour: ({ context, id, name, value, about }) => {
    const own = attributes({ id, name, value: String(value ?? ''), maxlength: 7, placeholder: '#0b5f4a' })
    return html`<colour-input label="${context.t('colour_choose')}">
<input${own} autocomplete="off"${about}></colour-input>`
  },
  picture,
  markdown,
}

/** Without a script, images are uploaded on their own screen, and the URL is typed here. */
function picture({ context, id, name, value, about }: SpecialControlProps): Html {
  const { t, base, store } = context
  const url = String(value ?? '')
  const own = attributes({ id, name, value: url, maxlength: 2048, autocomplete: 'off' })
  const describedBy = attributes({
    'data-upload': `${base}/pictures`,
    'data-most': maxFileBytes,
    'data-choose': t('picture_choose'),
    'data-uploading': t('picture_uploading'),
    'data-too-large': t('picture_too_large', { limit: maxFileMegabytes }),
    'data-failed': t('picture_failed'),
  })
  const image = attributes({ src: toPreviewUrl(url, store.id), referrerpolicy: 'no-referrer' })
  return html`<picture-input${describedBy}>${url ? html`<img${image} alt="">` : ''}
<input${own}${about}><span class="hint" role="status"></span></picture-input>
<a class="hint" href="${base}/pictures" target="_blank">${t('pictures_all')}</a>`
}

/** Formatting actions of assets/markdown.ts. */
// prettier-ignore
const marks = [
  ['bold', 'Control+B'], ['italic', 'Control+I'], ['heading', null],
  ['list', null], ['numbers', null], ['link', null],
] as const satisfies readonly (readonly [IconName, string | null])[]

/** A script shows the toolbar once the text is edited. */
function markdown({ context, id, name, value, about, maxlength, rows = 8 }: SpecialControlProps): Html {
  const { t } = context
  const buttons = marks.map(([mark, keys], index) => {
    const own = { type: 'button', 'data-mark': mark, 'aria-keyshortcuts': keys, tabindex: index > 0 && '-1' }
    return html`<button${attributes(own)}>${iconAlone(mark, t(`markdown_${mark}`))}</button>`
  })
  const toolbar = { role: 'toolbar', 'aria-label': t('markdown_tools'), hidden: true }
  return html`<markdown-text><textarea${attributes({ id, name, rows, maxlength })}${about}>
${String(value ?? '')}</textarea><div${attributes(toolbar)}>${buttons}</div></markdown-text>`
}

/** Values of a record, or as typed. */
function linesIn(value: unknown): string[] {
  return [value ?? []].flat().map(String)
}
