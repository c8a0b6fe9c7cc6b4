// A list of values: chips with a script, and a text area with a value a line without one.
import { html } from 'hono/html'
import { attributes } from '../../platform/pages/parts.ts'
import type { Html, PageContext } from './screen.ts'

type TokenListProps = {
  id: string
  name: string
  values: readonly string[]
  about: Html
  rows?: number
  /** The values that there are, by name. */
  among?: readonly string[]
  /** Others can be typed. */
  isFree?: boolean
  placeholder?: string
  /** A comma ends a value. */
  hasCommas?: boolean
}

export function tokenList({ t }: Pick<PageContext, 't'>, props: TokenListProps): Html {
  const { id, name, values, about, rows = 4, among = [], placeholder = t('token_add') } = props
  const { hasCommas = false, isFree = false } = props
  const list = among.length > 0 ? `${id}-known` : null
  const own = attributes({ id: `${id}-new`, list, placeholder, maxlength: 2048, autocomplete: 'off', hidden: true })
  const names = among.map((name) => html`<option value="${name}"></option>`)
  return html`<token-list${attributes({ edit: t('edit'), remove: t('remove'), commas: hasCommas, free: isFree })}>
<textarea${attributes({ id, name, rows })}${about}>
${values.join('\n')}</textarea><input${own}>${list ? html`<datalist id="${list}">${names}</datalist>` : ''}
<noscript><span class="hint">${t('token_lines')}</span></noscript></token-list>`
}
