// An input of a grid or of a line, with its error. In grids, assets/grid.ts adds the keys and the pasting of a
// spreadsheet.
import { html } from 'hono/html'
import { aboutField, attributes, renderFieldFault } from '../../platform/pages/parts.ts'
import type { Html, PageContext } from './screen.ts'

/** Attributes of the input. `data-seen` is the saved value, which Escape restores. */
export type CellProps = { name: string; id?: string; value: string } & Parameters<typeof attributes>[0]

/** `fault` defaults to the error of the name. The first error of a rejected form has the focus. */
export function renderCell({ rejection }: PageContext, cell: CellProps, fault = rejection?.faults[cell.name]): Html {
  const { name, id = name, ...more } = cell
  const focus = fault !== undefined && fault === Object.values(rejection?.faults ?? {})[0]
  const about = attributes({ id, name, ...more, autocomplete: 'off' })
  return html`<input${about}${aboutField(id, { fault, focus })}>${renderFieldFault(id, fault)}`
}
