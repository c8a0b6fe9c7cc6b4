// Invented records for the samples of events.
import { publicId, type Prefix } from '../kit/values/ids.ts'

export const sampleId = (prefix: Prefix) => publicId(prefix, '01912d68-783e-7a03-8467-5661c1243ad4')

export const sampleTime = new Date('2026-01-15T12:00:00.000Z')

export const sampleContact = { name: 'Ana Torres', email: 'ana@example.com', phone: '+525512345678' }

export const sampleAddress = {
  name: 'Ana Torres',
  phone: '+525512345678',
  address: 'Av. Reforma 222',
  city: 'Ciudad de México',
  province: 'CDMX',
  country: 'MX',
  postal_code: '06600',
  notes: null,
  address_2: null,
  company: null,
  province_code: 'MX-CMX',
}

/** An item as a fulfillment, a refund or a return names it. */
export const sampleUnits = {
  product_id: sampleId('prod'),
  product_name: 'Canvas backpack',
  variant_name: 'Red / M',
  quantity: 1,
}

export const sampleLine = { ...sampleUnits, unit_price: 1500.5, total_price: 1500.5 }

export const sampleAmounts = { total: 1599.5, subtotal: 1500.5, shipping: 99, discount: 0 }

export const sampleOrder = { id: sampleId('ord'), order_number: 1001 }

/** The order as events at its end have it. */
export const samplePaidOrder = { ...sampleOrder, payment_status: 'paid' as const, total: 1599.5, currency: 'MXN' }
