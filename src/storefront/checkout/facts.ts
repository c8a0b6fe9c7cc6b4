// Public information of a store.
import type { Db } from '../../kit/database/database.ts'
import { complete, list } from '../../kit/declare/composites.ts'
import { choice, decimal, flag, id, money, text, url, uuid } from '../../kit/declare/scalars.ts'
import { publicId } from '../../kit/values/ids.ts'
import { languages, type Language } from '../../kit/values/language.ts'
import { resource, type Json } from '../../kit/declare/resource.ts'
import { pick } from '../../kit/declare/row.ts'
import { json } from '../../kit/declare/route.ts'
import { checkoutFields } from '../../tenancy/stores/checkoutfields.ts'
import { offeredLanguages, ownLanguage } from '../../tenancy/stores/language.ts'
import { orderBump } from '../../tenancy/stores/orderbump.ts'
import { customField, maxFieldsOfKind } from '../../tenancy/stores/customfield.ts'
import { priceBases, shippingRate } from '../../tenancy/stores/shippingrate.ts'
import { store as storeResource, type Store } from '../../tenancy/stores/store.ts'
import { formatMethodName } from './offers/names.ts'
import { formatMarketingText } from './offers/marketing.ts'
import { askedFieldNames } from './offers/answers.ts'
import { bumpNames, availableBumps } from './offers/offer.ts'
import { findOfferIn } from './offers/offertexts.ts'
import { isOpenForOrders } from './offers/readiness.ts'

const { name, slug, description, store_title, currency, country_code, timezone, storefront_url } = storeResource.fields

// prettier-ignore
const conditionNames = [
  'provinces', 'postal_codes', 'min_weight', 'max_weight', 'min_amount', 'max_amount', 'excluded_categories',
  'handling_days', 'min_days', 'max_days',
] as const

export const factsSchema = resource(
  'stores',
  {
    name,
    slug,
    description,
    store_title,
    currency,
    country_code,
    timezone,
    default_language: choice(languages).describe('Default language of the online store'),
    languages: list(choice(languages), { max: languages.length }).describe('Languages of the online store'),
    storefront_url,
    tax: complete({
      rate: decimal().describe('Tax rate in percent'),
      included: flag().describe('Whether prices include tax'),
      shipping: flag().describe('Whether shipping is taxed'),
    }).describe('Default tax settings'),
    is_ready: flag().describe('Whether the online store can take orders'),
    checkout: complete(checkoutFields.fields).describe('Optional checkout fields'),
    custom_fields: list(complete(pick(customField.fields, askedFieldNames)), { max: maxFieldsOfKind }).describe(
      'Fields that shoppers fill in: their answers are in custom_fields of the checkout',
    ),
    payment_methods: list(complete({ code: text(), name: text() }), { max: 20 }),
    shipping_rates: list(
      complete({
        code: text(),
        name: text(),
        description: shippingRate.fields.description,
        price_by: choice(priceBases).describe('What the price depends on'),
        price: money(),
        ...pick(shippingRate.fields, ['tiers', 'surcharges']),
        free_from: money().nullable().describe('Amount after discounts from which shipping is free'),
        free_by_code: flag().describe('Whether free-shipping codes apply'),
        country_codes: list(text(), { max: 250 }).describe(
          'ISO 3166-1 alpha-2 codes of the countries it ships to; empty: worldwide',
        ),
        ...pick(shippingRate.fields, conditionNames),
        requires_address: flag().describe('Whether a shipping address is required'),
        payment_methods: shippingRate.fields.payment_methods,
        ...pick(shippingRate.fields, ['pickup_address', 'pickup_hours']),
      }),
      { max: 50 },
    ).describe('Shipping rates the store offers'),
    order_bumps: list(
      complete({
        id: id('bump'),
        title: text(),
        description: orderBump.fields.description,
        price: money(),
        product_id: id('prod').nullable(),
        variant_id: uuid().nullable(),
        image: url().nullable(),
      }),
      { max: 50 },
    ),
  },
  {},
  { noun: 'Store', title: 'Storefront' },
).entity

export async function findFacts(db: Db, store: Store, requestedLanguage: Language | undefined): Promise<Json<any>> {
  const language = requestedLanguage ?? 'en'
  const offer = await findOfferIn(db, store, requestedLanguage ?? ownLanguage(store))
  return json({
    name: store.name,
    slug: store.slug,
    description: offer.description,
    store_title: offer.store_title,
    currency: store.currency,
    country_code: store.country_code,
    timezone: store.timezone,
    default_language: ownLanguage(store),
    languages: offeredLanguages(store),
    storefront_url: offer.storefront_url,
    tax: { rate: Number(offer.tax_rate), included: offer.tax_included, shipping: offer.tax_shipping },
    is_ready: await isOpenForOrders(db, store, offer),
    checkout: { ...offer.asking, marketing_text: formatMarketingText(offer, language, (text) => text) },
    custom_fields: offer.custom_fields,
    payment_methods: offer.payment_methods.map((method) => ({
      code: method.code,
      name: formatMethodName(method, language),
    })),
    shipping_rates: offer.shipping_rates.map((rate) => ({ ...rate, name: formatMethodName(rate, language) })),
    order_bumps: availableBumps(offer).map((bump) => ({
      ...pick(bump, bumpNames),
      id: publicId('bump', bump.id),
      product_id: bump.product_id && publicId('prod', bump.product_id),
    })),
  })
}
