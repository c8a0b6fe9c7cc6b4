// A new category, named in the product's form and created when the product is saved.
import { category } from '../../../commerce/catalog/category.ts'
import { sql } from '../../../kit/database/sql.ts'
import { invalid, ApiError } from '../../../kit/values/errors.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { field } from '../../../platform/pages/form.ts'
import { endpoint } from '../../framework/api.ts'
import { call } from '../../framework/call.ts'
import type { FormInput, PageContext } from '../../framework/screen.ts'

const name = 'new_category'

export const newCategoryInput: FormInput = {
  name,
  label: 'category_new',
  hint: 'category_new_hint',
  schema: category.fields.name.spec.schema,
}

const nameIn = ({ form }: PageContext) => field(form, name).trim()

export function isCategoryNamed(context: PageContext): boolean {
  return nameIn(context) !== ''
}

/** Finds the category with the typed name, or creates it. */
export async function namedCategory(context: PageContext): Promise<{ category_id?: string }> {
  const { form, db, store } = context
  const input = nameIn(context)
  if (input === '') return {}
  const existing = await db.one<{ id: string }>(sql`
    select id
    from categories
    where store_id = ${store.id}
      and lower(name) = lower(${input})
    order by id
    limit 1`)
  if (existing) return { category_id: publicId('cat', existing.id) }
  const once = field(form, 'once')
  const request = { params: {}, body: { name: input }, ...(once ? { once: `${once} category` } : {}) }
  const category = await call(context, endpoint('POST /categories'), request).catch(besideItsField)
  return { category_id: category.id }
}

function besideItsField(error: unknown): never {
  if (!(error instanceof ApiError) || error.faults.length === 0) throw error
  throw invalid(...error.faults.map((fault) => ({ ...fault, field: name })))
}
