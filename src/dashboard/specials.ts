// Controls for what a plain input does not fit: lists, countries, secrets, colours.
import { html } from 'hono/html'
import { attributes } from '../pages/parts.ts'
import { nameOfCountry } from './places.ts'
import type { Html, Special, Visit } from './page.ts'

type Drawn = { visit: Visit; id: string; name: string; label: string; value: unknown; about: Html; rows?: number }

export function special(as: Special, drawn: Drawn): Html {
  const { id, label } = drawn
  return html`<label for="${id}">${label}</label>${controls[as](drawn)}`
}

const controls: Record<Special, (drawn: Drawn) => Html> = {
  lines: (drawn) => area(drawn, linesIn(drawn.value)),
  countries: (drawn) => {
    const { language } = drawn.visit
    return area(
      drawn,
      linesIn(drawn.value).map((code) => nameOfCountry(language, code)),
    )
  },
  /** What is kept is not shown: an empty field leaves it as it is. */
  secret: ({ visit, id, name, value, about }) => {
    const placeholder = value ? visit.say('secret_is_set') : null
    const own = attributes({ id, name, type: 'password', autocomplete: 'new-password', placeholder, maxlength: 4096 })
    return html`<input${own}${about}>`
  },
  colour: ({ visit, id, name, value, about }) => {
    const own = attributes({ id, name, value: String(value ?? ''), maxlength: 7, placeholder: '#0b5f4a' })
    return html`<colour-input label="${visit.say('colour_choose')}">
<input${own} autocomplete="off"${about}></colour-input>`
  },
}

/** Of a record, or as they were typed. */
function linesIn(value: unknown): string[] {
  return [value ?? []].flat().map(String)
}

function area({ id, name, about, rows = 4 }: Drawn, lines: readonly string[]): Html {
  return html`<textarea${attributes({ id, name, rows })}${about}>
${lines.join('\n')}</textarea>`
}
