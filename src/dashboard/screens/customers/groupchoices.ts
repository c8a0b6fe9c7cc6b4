// The store's customer groups as choices, sorted by name.
import { customerGroup } from '../../../commerce/customers/groups/group.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import type { Choices, PageContext } from '../../framework/screen.ts'

/** All groups that a store can have. */
export async function groupChoices({ db, store }: PageContext): Promise<Choices> {
  const query = { page: 1, per_page: 100, sort: 'name', order: 'asc' } as const
  const { data } = await entityPage(db, customerGroup, store, query)
  return data.map(({ id, name }) => [id, name])
}
