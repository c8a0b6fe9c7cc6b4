// The status changes of a return.

export const returnStatuses = ['requested', 'approved', 'received', 'closed', 'declined', 'cancelled'] as const
export type ReturnStatus = (typeof returnStatuses)[number]

// prettier-ignore
export const nextReturnStatuses: Record<ReturnStatus, readonly ReturnStatus[]> = {
  requested: ['approved', 'declined', 'cancelled'],
  approved:  ['received', 'cancelled'],
  received:  ['closed'],
  closed:    [],
  declined:  [],
  cancelled: [],
}

export const returnReasons = [
  'changed_mind',
  'does_not_fit',
  'not_as_described',
  'damaged',
  'wrong_item',
  'other',
] as const

export const conditions = ['as_new', 'damaged'] as const
