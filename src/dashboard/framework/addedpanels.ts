import { html } from 'hono/html'
import { extensions } from '../../tenancy/extensions/loaded.ts'
import { extensionFaults } from '../../platform/postgres/extensionmigrations.ts'
import type { Html, PageContext } from './screen.ts'

/** Panels of extensions on the screen of one record, below its own. */
export async function addedPanels(context: PageContext, path: string): Promise<Html> {
  const on = extensions.filter(({ name, panels }) => panels?.[path] && !extensionFaults.has(name))
  const panels = await Promise.all(on.map(({ panels }) => panels![path]!(context)))
  return html`${panels.map((panel) => html`${panel ?? ''}`)}`
}
