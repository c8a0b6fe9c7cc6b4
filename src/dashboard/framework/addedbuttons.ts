import { html } from 'hono/html'
import { extensions } from '../../tenancy/extensions/loaded.ts'
import type { Html, PageContext } from './screen.ts'

/** Buttons of extensions beside those of the screen at this path. */
export function addedButtons(context: PageContext, path: string): Html {
  return html`${extensions.map(({ buttons }) => buttons?.[path]?.(context) ?? '')}`
}
