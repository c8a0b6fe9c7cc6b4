// A form beside a frame that shows what is typed and not saved: at once with a script, else by a button.
import { html } from 'hono/html'
import { attributes } from '../../platform/pages/parts.ts'
import type { Html, Visit } from './page.ts'

/** Where a screen has its preview. */
function previewPath({ here }: Pick<Visit, 'here'>): string {
  return `${here.split('?')[0]}/preview`
}

export function previewed(visit: Visit, form: Html): Html {
  const { say } = visit
  const frame = { name: 'preview', title: say('preview'), src: previewPath(visit) }
  return html`<live-preview class="beside" src="${previewPath(visit)}"><div>${form}</div>
<div class="stage"><iframe${attributes(frame)}></iframe></div></live-preview>`
}

export function previewButton(visit: Visit): Html {
  const about = { class: 'quiet', formaction: previewPath(visit), formtarget: 'preview', 'data-preview': true }
  return html`<button${attributes(about)}>${visit.say('preview')}</button>`
}
