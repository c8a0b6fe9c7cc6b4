// The rules of money and stock, in the order in which the API checks them.
import { inventoryTransactions } from '../../commerce/inventory/tables.ts'
import { orders, refunds } from '../../commerce/orders/tables.ts'
import { payments } from '../../commerce/payments/tables.ts'

export const ledgerRules = [orders, payments, refunds, inventoryTransactions].flatMap(({ rules }) =>
  rules.flatMap((rule) => ('of' in rule ? rule : [])),
)
