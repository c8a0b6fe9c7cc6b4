// Fixes of an import, chosen on its screen.
import { html } from 'hono/html'
import { findImport } from '../imports/access.ts'
import { maxFixes, type Fix } from '../imports/fixes.ts'
import { field } from '../../../platform/pages/form.ts'
import { endpoint } from '../../../dashboard/framework/api.ts'
import { scopesOfRole } from '../../../dashboard/framework/call.ts'
import { button } from '../../../dashboard/framework/form.ts'
import { panel } from '../../../dashboard/framework/parts.ts'
import type { Html, PageContext, ScreenAction } from '../../../dashboard/framework/screen.ts'
import type { ListedImport } from './imports.ts'
import { nameFaultValues } from './words.ts'

/** Texts of one cause that can be replaced at once. */
export const maxReplacements = 5

export const fix: ScreenAction = {
  route: endpoint('PATCH /imports/{id}'),
  body: readFix,
  nameValues: nameFaultValues,
  done: 'import_previewed',
}

/** The import, if the person may read records of its kind. */
export async function importFor(context: PageContext): Promise<ListedImport> {
  const { db, store, ids } = context
  return (await findImport(db, store.id, ids.id!, { scopes: scopesOfRole(context) })).entity
}

async function readFix(context: PageContext): Promise<object> {
  const { form: submission } = context
  const one = await importFor(context)
  const [action, code, column] = ['do', 'code', 'column'].map((name) => field(submission, name)) as [
    string,
    string,
    string,
  ]
  switch (action) {
    case 'map':
      return readColumnChoices(context)
    case 'update':
      return { on_duplicate: 'update' }
    case 'remove':
      return { fixes: one.fixes.filter((_, at) => String(at) !== field(submission, 'place')) }
    case 'skip':
      return addFixes(one, [{ action, code, column: column || null, field: field(submission, 'field') || null }])
    case 'replace':
      return addFixes(one, readReplacements(context, column))
    default: {
      const columns = one.warnings.filter((warning) => warning.code === code)
      return addFixes(
        one,
        columns.map((warning): Fix => ({ action: action === 'convert' ? 'convert' : 'keep', column: warning.column })),
      )
    }
  }
}

function readReplacements({ form: submission }: PageContext, column: string): Fix[] {
  return Array.from({ length: maxReplacements }, (_, at) => at).flatMap((at): Fix[] => {
    const [from, to] = [field(submission, `from.${at}`), field(submission, `to.${at}`)]
    return to === '' ? [] : [{ action: 'replace', column, from, to }]
  })
}

/** A later fix takes the place of an earlier one of the same. */
function addFixes({ fixes }: ListedImport, more: readonly Fix[]): object {
  const toKey = ({ action, column, from, code, field: name }: Fix) =>
    JSON.stringify([action === 'convert' ? 'keep' : action, column, from, code, name])
  const keys = new Set(more.map(toKey))
  return { fixes: [...fixes.filter((one) => !keys.has(toKey(one))), ...more].slice(-maxFixes) }
}

/** The fields of the columns whose select the form has; the selects are numbered. */
export async function readColumnChoices(context: PageContext): Promise<{ mapping: string }> {
  const { form: submission } = context
  const { columns } = await importFor(context)
  const choices = columns.flatMap(({ name }, at) =>
    Object.hasOwn(submission, `column.${at}`) ? [[name, field(submission, `column.${at}`) || null]] : [],
  )
  return { mapping: JSON.stringify(Object.fromEntries(choices)) }
}

/** The fixes that hold, each with a button that undoes it. */
export function renderFixes(context: PageContext, { fixes, status }: ListedImport): Html | '' {
  const { t } = context
  if (fixes.length === 0) return ''
  const rows = fixes.map(({ action, column, from = '', to = '' }, at) => {
    const words = { column: column ?? '', from: from.slice(0, 60), to: to.slice(0, 60) }
    const taken =
      status === 'ready'
        ? button(context, { act: 'fix', fixed: { do: 'remove', place: String(at) }, text: 'remove' })
        : ''
    return html`<tr><td>${column ?? ''}</td><td>${t(`import_fix_${action}_done`, words)}</td><td>${taken}</td></tr>`
  })
  return panel(t('import_fixes'), html`<table class="plain"><tbody>${rows}</tbody></table>`)
}
