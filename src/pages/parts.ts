// Recurring parts of pages: plain HTML that needs no script.
import { html } from 'hono/html'
import type { Html } from './page.ts'

export function notice(kind: 'error' | 'warning' | 'done', content: Html | string): Html {
  return html`<div class="notice ${kind}" role="${kind === 'error' ? 'alert' : 'status'}">${content}</div>`
}

/** ` name="value"` of each that there is: true gives the name alone; false, null and '' give nothing. */
export function attributes(values: Record<string, string | number | boolean | null | undefined>): Html {
  const there = Object.entries(values).filter(([, value]) => value || value === 0)
  return html`${there.map(([name, value]) => (value === true ? html` ${name}` : html` ${name}="${value}"`))}`
}

type FieldNotes = { fault?: string | undefined; hint?: string | undefined; focus?: boolean }

/** Of a field with this name: what is wrong with it, its hint, and whether it gets the focus. */
export function aboutField(name: string, { fault, hint, focus = false }: FieldNotes): Html {
  const described = [hint ? `${name}-hint` : '', fault ? `${name}-fault` : ''].filter(Boolean).join(' ')
  return attributes({ 'aria-describedby': described, 'aria-invalid': fault ? 'true' : null, autofocus: focus })
}

/** What is wrong with the field that it stands beside. */
export function faultOf(name: string, fault: string | undefined): Html | '' {
  return fault ? html`<p class="fault" id="${name}-fault">${fault}</p>` : ''
}

type Input = FieldNotes & {
  name: string
  type: 'email' | 'password' | 'text'
  autocomplete: string
  value?: string
  min?: number
}

/** A field that must be filled in. */
export function input(label: string, { name, type, autocomplete, value, min, ...about }: Input): Html {
  const own = attributes({ id: name, name, type, autocomplete, required: true, maxlength: 254, value, minlength: min })
  return html`<p class="field"><label for="${name}">${label}</label>
<input${own}${aboutField(name, about)}>
${about.hint ? html`<span class="hint" id="${name}-hint">${about.hint}</span>` : ''}</p>
${faultOf(name, about.fault)}`
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`
}

/** A box to tick, or one of several to choose. */
export function choice(
  values: { type: 'checkbox' | 'radio'; name: string; value: string; checked?: boolean; required?: boolean },
  text: Html | string,
): Html {
  // Without a value, a box that is chosen says "on".
  const none = values.value === '' ? html` value=""` : ''
  return html`
<label class="choice"><input${attributes(values)}${none}> <span>${text}</span></label>`
}

export type Tab = { href: string; text: string; isCurrent: boolean }

export function tabs(label: string, links: readonly Tab[]): Html {
  return html`<nav aria-label="${label}">${links.map(
    ({ href, text, isCurrent }) => html`<a href="${href}"${isCurrent ? html` aria-current="page"` : ''}>${text}</a>`,
  )}</nav>`
}
