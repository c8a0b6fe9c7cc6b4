// Recurring parts of pages: plain HTML that needs no script.
import { html } from 'hono/html'
import type { Form } from './form.ts'
import type { Html } from './page.ts'

export function notice(kind: 'error' | 'warning' | 'done', content: Html | string): Html {
  return html`<div class="notice ${kind}" role="${kind === 'error' ? 'alert' : 'status'}">${content}</div>`
}

/** ` name="value"` of each value: true gives the name alone; false, null and '' give nothing. */
export function attributes(values: Record<string, string | number | boolean | null | undefined>): Html {
  const there = Object.entries(values).filter(([, value]) => value || value === 0)
  return html`${there.map(([name, value]) => (value === true ? html` ${name}` : html` ${name}="${value}"`))}`
}

type FieldNotes = { fault?: string | undefined; hint?: string | undefined; focus?: boolean }

/** The attributes of a field: its error, its hint and its focus. */
export function aboutField(name: string, { fault, hint, focus = false }: FieldNotes): Html {
  const describedBy = [hint ? `${name}-hint` : '', fault ? `${name}-fault` : ''].filter(Boolean).join(' ')
  return attributes({ 'aria-describedby': describedBy, 'aria-invalid': fault ? 'true' : null, autofocus: focus })
}

/** The error beside a field. */
export function renderFieldFault(name: string, fault: string | undefined): Html | '' {
  return fault ? html`<p class="fault" id="${name}-fault">${fault}</p>` : ''
}

type Input = FieldNotes & {
  name: string
  /** Needed if another field of the page has the same name. */
  id?: string
  /** The keyboard that a phone shows. */
  mode?: 'numeric'
  type: 'email' | 'password' | 'text'
  autocomplete: string
  value?: string
  min?: number
}

/** A required field. */
export function input(label: string, { name, id = name, type, mode, autocomplete, value, min, ...about }: Input): Html {
  const limits = { required: true, maxlength: 254, minlength: min }
  const own = attributes({ id, name, type, inputmode: mode, autocomplete, ...limits, value })
  return html`<p class="field"><label for="${id}">${label}</label>
<input${own}${aboutField(id, about)}>
${about.hint ? html`<span class="hint" id="${id}-hint">${about.hint}</span>` : ''}</p>
${renderFieldFault(id, about.fault)}`
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`
}

export function hiddenFields(fields: Form): Html[] {
  return Object.entries(fields).flatMap(([name, value]) => [value ?? []].flat().map((one) => hidden(name, one)))
}

/** A checkbox or a radio button. */
export function choice(
  values: { type: 'checkbox' | 'radio'; name: string; value: string; checked?: boolean; required?: boolean },
  text: Html | string,
): Html {
  // Without a value, a checked box sends "on".
  const none = values.value === '' ? html` value=""` : ''
  return html`
<label class="choice"><input${attributes(values)}${none}> <span>${text}</span></label>`
}
