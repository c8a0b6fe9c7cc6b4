// The actions on a return; each calls an endpoint of the API.
import { readPieceKey } from '../../../../commerce/orders/parts.ts'
import type { Return } from '../../../../commerce/returns/return.ts'
import { field, fieldsNamed, type Form } from '../../../../platform/pages/form.ts'
import { endpoint } from '../../../framework/api.ts'
import { readNumber } from '../../../assets/numbers.ts'
import type { ScreenAction } from '../../../framework/screen.ts'
import type { TypedForm } from '../itemfields.ts'

// prettier-ignore
export const returnActions: Record<string, ScreenAction> = {
  approve: {
    route: endpoint('POST /returns/{id}/approve'), done: 'return_approved',
    inputs: [{ name: 'instructions', label: 'return_instructions', as: 'area', rows: 3,
               hint: 'return_instructions_hint' }],
  },
  decline: {
    route: endpoint('POST /returns/{id}/decline'), done: 'return_declined',
    inputs: [{ name: 'reason', label: 'return_decline_reason', hint: 'return_decline_hint' }],
  },
  receive: {
    route: endpoint('POST /returns/{id}/receive'), done: 'return_received',
    body: receivedBody, fieldOf: toReceivedField,
  },
  refund: {
    route: endpoint('POST /returns/{id}/refund'), done: 'return_refunded',
    inputs: [{ name: 'restocking_fee', as: 'money', isHalf: true, hint: 'restocking_fee_hint' },
             { name: 'shipping', as: 'money', isHalf: true, hint: 'return_shipping_hint' },
             { name: 'reason', label: 'reason' }, { name: 'by_hand', hint: 'by_hand_hint' }],
    hasDryRun: true,
  },
  close: {
    route: endpoint('POST /returns/{id}/close'), done: 'return_closed',
    confirm: { title: 'return_close_ask', text: 'return_close_text', button: 'return_close' },
  },
  cancel: {
    route: endpoint('POST /returns/{id}/cancel'), done: 'return_cancelled',
    confirm: { title: 'return_cancel_ask', text: 'return_cancel_text', button: 'return_cancel' },
  },
}

/** The next screen after an exchange is the new order. */
export const toExchangeOrder = ({ exchange_order_id }: Return) => `/orders/${exchange_order_id}`

export const conditionFields = { as_new: 'as_new', damaged: 'damaged' } as const

/** Received units by condition, each with its field in the form. */
function receivedUnits(form: Form): { name: string; key: string; text: string; condition: string }[] {
  return fieldsNamed(form, 'item_id').flatMap((key, at) =>
    Object.values(conditionFields).flatMap((condition) => {
      const name = `items.${at}.${condition}`
      const text = field(form, name)
      return /^0*$/.test(text) ? [] : { name, key, text, condition }
    }),
  )
}

function receivedBody({ form, language }: TypedForm): object {
  const items = receivedUnits(form).map(({ key, text, condition }) => {
    return { ...readPieceKey(key), quantity: readNumber(text, language), condition }
  })
  return { items }
}

/** Maps an index of the body to the field in the form. */
function toReceivedField(name: string, form: Form): string {
  const [, at] = /^items\.(\d+)/.exec(name) ?? []
  return (at !== undefined && receivedUnits(form)[Number(at)]?.name) || name
}
