// The billing address of an order: to whom it is invoiced, if that is not the shipping address.
import { object } from '../../kit/declare/composites.ts'
import { parseCountryCode } from '../../kit/values/countries.ts'
import { fault, generalFaults, type Fault } from '../../kit/values/faults.ts'
import { getAddressRules } from '../../kit/values/provinces.ts'
import { countryCode } from '../../tenancy/stores/store.ts'
import { withProvince } from '../customers/address.ts'
import { checkTaxId, taxId } from '../tax/taxid.ts'
import { addressFields, derivedFields, findRegionFaults } from './address.ts'
import { orderFaults } from './errors.ts'

// prettier-ignore
const inputFields = {
  ...addressFields,
  country_code: countryCode().nullable().personal().example('MX')
    .describe('ISO code of the country; goes before its name'),
  tax_id:       taxId().nullable().personal().describe("Buyer's tax ID; goes before that of the order"),
}

const storedFields = { ...inputFields, ...derivedFields }
const names = Object.keys(storedFields) as (keyof typeof storedFields)[]

export type BillingAddress = { [K in keyof typeof storedFields]: string | null }
export type BillingInput = Partial<BillingAddress>

export const billingAddress = () =>
  object(storedFields, { always: names })
    .takes(object({ ...inputFields, province_code: derivedFields.province_code.readonly() }).nullable())
    .nullable()
    .personal()

/** Changes a billing address field by field. `name` and `country` are used where it has none. */
export function mergeBillingAddress(
  before: BillingInput | null,
  input: BillingInput,
  { name = null, country }: { name?: string | null; country: string | null },
): BillingAddress {
  const current = before?.country_code ?? country
  const country_code = input.country_code ?? parseCountryCode(input.country) ?? current
  const isMoved = country_code !== current && input.country === undefined
  const lines = { ...before, ...(isMoved ? { country: null } : {}), ...input, country_code }
  const address = withProvince({ ...lines, name: lines.name ?? name }, country_code)
  return Object.fromEntries(names.map((one) => [one, address[one] ?? null])) as BillingAddress
}

/** What is wrong with a complete billing address. */
export function findBillingFaults(address: BillingInput | null): Fault[] {
  if (!address) return []
  const { name, company, tax_id, country_code: country } = address
  if (!country) return [fault('billing_address.country_code', generalFaults.required)]
  const isWrongTaxId = tax_id && checkTaxId(tax_id, country).status === 'invalid'
  return [
    ...(name?.trim() || company?.trim() ? [] : [fault('billing_address.name', generalFaults.required)]),
    ...findRegionFaults('billing_address', address, country, { isListed: getAddressRules(country).needsProvince }),
    ...(isWrongTaxId ? [fault('billing_address.tax_id', orderFaults.no_tax_id, { country })] : []),
  ]
}
