// The panel with what integrations keep on a record: its ID in another system, and texts by key.
import { html } from 'hono/html'
import type { TextsByKey } from '../../kit/declare/composites.ts'
import { isMetadataKey } from '../../kit/declare/metadata.ts'
import { field, type Form } from '../../platform/pages/form.ts'
import { hidden } from '../../platform/pages/parts.ts'
import { endpoint } from './api.ts'
import { form } from './form.ts'
import { formRows, typedRows } from './formrows.ts'
import { foldedPanel } from './parts.ts'
import type { Html, PageContext, ScreenAction } from './screen.ts'

export const metadataAct = 'metadata'

/** `route` changes the record: `PATCH /products/{id}` */
export function metadataAction(route: string): ScreenAction {
  return {
    route: endpoint(route),
    inputs: [{ name: 'external_id', hint: 'external_id_hint' }],
    body: ({ form }) => ({ metadata: { ...removedKeys(form), ...readTexts(form) } }),
    fieldOf: toFormField,
    conflict: 'external_id_taken',
    done: 'saved',
  }
}

/** `metadata.source` → the input of this key in the form. */
function toFormField(name: string, form: Form): string {
  const [, key] = /^metadata\.(.*)$/s.exec(name) ?? []
  if (key === undefined) return name
  const at = readRows(form).findIndex((row) => row.key === key)
  return `metadata.${at}.${isMetadataKey(key) ? 'value' : 'key'}`
}

const columns = ['key', 'value'] as const

function readRows(form: Form): Record<string, string>[] {
  return typedRows(form, 'metadata', columns)
}

function readTexts(form: Form): TextsByKey {
  return Object.fromEntries(readRows(form).map(({ key, value }) => [key!, value!]))
}

/** The form names the keys that it showed: one that is no longer among them is removed. */
function removedKeys(form: Form): TextsByKey {
  const keys = field(form, 'shown').replaceAll('\r', '').split('\n')
  return Object.fromEntries(keys.filter(Boolean).map((key) => [key, null]))
}

export type Labels = { external_id: string | null; metadata: TextsByKey }

export async function metadataPanel(context: PageContext, action: ScreenAction, record: Labels): Promise<Html> {
  const { t, rejection } = context
  const { external_id, metadata } = record
  const rows = formRows(context, {
    name: 'metadata',
    act: metadataAct,
    title: t('metadata'),
    columns: columns.map((name) => ({ name, label: t(`metadata_${name}`) })),
    values: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    blank: 2,
  })
  const isRejected = rejection?.act === metadataAct
  const own = await form(context, {
    act: metadataAct,
    action,
    button: 'save',
    values: { external_id },
    more: html`<p class="hint">${t('metadata_hint')}</p>${rows}
${hidden('shown', isRejected ? field(context.form, 'shown') : Object.keys(metadata).join('\n'))}
${isRejected && rejection.faults.metadata ? html`<p class="fault">${rejection.faults.metadata}</p>` : ''}`,
  })
  return foldedPanel(t('metadata'), own, { id: 'do-metadata', isOpen: isRejected })
}
