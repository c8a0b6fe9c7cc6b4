// Tags of an order.
import { form } from '../../framework/form.ts'
import { panel } from '../../framework/parts.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { orderActions } from './actions.ts'
import type { OrderDetails } from './orderdetails.ts'

export async function tagForm(context: PageContext, { record, version }: OrderDetails): Promise<Html> {
  return panel(
    context.t('tags'),
    await form(context, {
      act: 'tags',
      action: orderActions.tags!,
      button: 'save',
      values: record,
      version,
      isQuiet: true,
    }),
  )
}
