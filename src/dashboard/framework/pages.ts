// The building blocks of an extension's screens.
import { html } from 'hono/html'
import { endpoint } from './api.ts'
import { read } from './call.ts'
import { form } from './form.ts'
import { list } from './list.ts'
import { panel } from './parts.ts'
import { inSettings, placeBelow } from './placement.ts'
import { settingsForm } from './settingsform.ts'

export const pages = { html, endpoint, read, form, list, panel, inSettings, placeBelow, settingsForm }
