// Who waits for what. A request is deleted with its email, after its time, or by its shopper.
import type { Create, Entity } from '../../kit/declare/field.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import { choice, email, flag, id, integer, text, time, uuid } from '../../kit/declare/scalars.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { sql } from '../../kit/database/sql.ts'
import { isUuid, toUuid } from '../../kit/values/ids.ts'
import { languages } from '../../kit/values/language.ts'

// prettier-ignore
export const request = resource('backinstock_requests', {
  id:           id('bis').readonly(),
  product_id:   id('prod').required(),
  variant_id:   uuid().nullable().describe('ID of the variant; null for a product without variants'),
  email:        email().required().personal().example('ana@example.com').describe('Email address of the shopper'),
  language:     choice(languages).default('en').describe('Language of the emails'),
  confirmed_at: time().nullable().readonly().describe('Time the shopper confirmed the address; null until then'),
  expires_at:   time().readonly().describe('Time after which the request is deleted'),
  created_at:   time().readonly().sortable(),
}, {
  product_id: filter(text({ max: 100 }), (input) =>
    sql`backinstock_requests.product_id = ${toUuid('prod', input)}::uuid`),
  variant_id: filter(text({ max: 64 }), (input) =>
    sql`backinstock_requests.variant_id = ${isUuid(input) ? input : null}::uuid`),
  email:      filter(text({ max: 254 }), (input) => sql`lower(backinstock_requests.email) = lower(${input})`),
}, { noun: 'Back-in-stock request' })

export type BackInStockRequest = Entity<typeof request.fields>
export type NewRequest = Create<typeof request.fields>

/** What a shopper types. */
export const typedEmail = createBody({ email: email().required() })

// prettier-ignore
export const settings = resource('backinstock_settings', {
  is_active: flag().describe('Whether sold-out products offer the email'),
}, {}, { noun: 'Back-in-stock settings' })

// prettier-ignore
export const awaitedItem = resource('backinstock_requests', {
  product_id:   id('prod'),
  variant_id:   uuid().nullable().describe('ID of the variant; null for a product without variants'),
  product_name: text().describe('Name of the product'),
  variant_name: text().nullable().describe('Title of the variant'),
  waiting:      integer().describe('Number of shoppers with a confirmed address'),
  since:        time().describe('Time of the oldest confirmation'),
}, {}, { noun: 'Awaited item' })
