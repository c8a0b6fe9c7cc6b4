// A form beside a preview of its unsaved input: live with a script, otherwise by a button.
import { html } from 'hono/html'
import { attributes } from '../../platform/pages/parts.ts'
import type { Html, PageContext } from './screen.ts'

/** The path of a screen's preview. */
function previewPath({ here }: Pick<PageContext, 'here'>): string {
  return `${here.split('?')[0]}/preview`
}

export function renderWithPreview(context: PageContext, form: Html): Html {
  const { t } = context
  const frame = { name: 'preview', title: t('preview'), src: previewPath(context) }
  return html`<live-preview class="beside" src="${previewPath(context)}"><div>${form}</div>
<div class="stage"><iframe${attributes(frame)}></iframe></div></live-preview>`
}

export function previewButton(context: PageContext): Html {
  const about = { class: 'quiet', formaction: previewPath(context), formtarget: 'preview', 'data-preview': true }
  return html`<button${attributes(about)}>${context.t('preview')}</button>`
}
