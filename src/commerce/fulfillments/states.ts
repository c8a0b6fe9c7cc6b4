// What becomes of a parcel.

export const statuses = ['shipped', 'delivered', 'cancelled'] as const
export type Status = (typeof statuses)[number]

// prettier-ignore
export const nextStatuses: Record<Status, readonly Status[]> = {
  shipped:   ['delivered', 'cancelled'],
  delivered: ['shipped'],
  cancelled: [],
}
