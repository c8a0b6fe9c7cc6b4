// A sample order for previews.
import { publicId } from '../../kit/values/ids.ts'
import type { Language } from '../../kit/values/language.ts'
import type { Enquiry } from '../../tenancy/emails/enquiry.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { LetterOrder, LetterParcel, LetterRefund, LetterRefunds, LetterReturn } from './facts.ts'
import { letterTranslator } from './messages.ts'
import type { TeamSummary } from './summary.ts'

const sampleUuid = '01912d68-783e-7a03-8467-5661c1243ad4'

export function sampleOrder(store: Store, language: Language): LetterOrder {
  const t = letterTranslator(language)
  const item = { product_name: t('sample_product'), variant_name: t('sample_variant') }
  return {
    id: publicId('ord', sampleUuid),
    order_number: 1001,
    payment_status: 'pending',
    payment_method: 'bank_transfer',
    shipping_method: 'standard',
    currency: store.currency,
    customer_name: 'Ana Torres',
    customer_phone: '+52 55 1234 5678',
    customer_email: 'ana@example.com',
    subtotal: 1040,
    discount_amount: 104,
    shipping_cost: 99,
    tax_amount: 0,
    included_tax: 0,
    tax_lines: [],
    total: 1035,
    amount_due: 1035,
    captured_amount: 1035,
    refunded_amount: 0,
    discount_code: 'WELCOME10',
    discounts: [],
    customer_notes: null,
    custom_fields: [],
    country_code: 'MX',
    shipping_address: {
      name: 'Ana Torres',
      company: null,
      phone: null,
      address: 'Av. Reforma 222',
      address_2: null,
      city: 'Ciudad de México',
      province: 'CDMX',
      country: 'México',
      postal_code: '06600',
      notes: null,
      province_code: 'MX-CMX',
    },
    billing_address: null,
    order_bumps: null,
    items: [
      { ...item, id: publicId('item', sampleUuid), product_id: null, variant_id: null, quantity: 2, total_price: 1040 },
    ],
  }
}

export const sampleParcel: LetterParcel = {
  carrier: 'DHL',
  tracking_number: '00340434161094042557',
  tracking_url: 'https://www.dhl.com/global-en/home/tracking.html?tracking-id=00340434161094042557',
  items: [{ item_id: publicId('item', sampleUuid), quantity: 2 }],
}

export function sampleRefund(language: Language): LetterRefund {
  const item = { item_id: publicId('item', sampleUuid), quantity: 1 }
  return {
    amount: 520,
    tax_amount: 0,
    reason: letterTranslator(language)('sample_reason'),
    by_hand: false,
    items: [item],
  }
}

export function sampleRefunds({ captured_amount }: LetterOrder): LetterRefunds {
  return { refunded: 0, refunding: captured_amount, by_hand: 0 }
}

export function sampleReturn(language: Language): LetterReturn {
  const t = letterTranslator(language)
  const item = { item_id: publicId('item', sampleUuid), quantity: 1, reason: 'does_not_fit', note: null } as const
  const id = publicId('ret', sampleUuid)
  return { id, instructions: t('sample_instructions'), decline_reason: t('sample_decline'), items: [item] }
}

export function sampleEnquiry(language: Language): Enquiry {
  return { name: 'Ana Torres', email: 'ana@example.com', message: letterTranslator(language)('sample_message') }
}

export function sampleSummary(language: Language): TeamSummary {
  return { order: '2: #1001, #1002', low_stock: `1: ${letterTranslator(language)('sample_product')}` }
}
