// The building blocks of an extension's parts of the shop.
import { html } from 'hono/html'
import { aboutField, attributes, hidden, input, notice, renderFieldFault } from '../../../platform/pages/parts.ts'
import { field } from './page.ts'
import { frame, note } from './view.ts'

export const blocks = { html, frame, note, field, input, hidden, notice, attributes, aboutField, renderFieldFault }
