// The status changes of a shipment.

export const shipmentStatuses = ['shipped', 'delivered', 'cancelled'] as const
export type ShipmentStatus = (typeof shipmentStatuses)[number]

// prettier-ignore
export const nextShipmentStatuses: Record<ShipmentStatus, readonly ShipmentStatus[]> = {
  shipped:   ['delivered', 'cancelled'],
  delivered: ['shipped'],
  cancelled: [],
}
