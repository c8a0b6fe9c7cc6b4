import { pick } from '../kit/declare/row.ts'
import { productSummary } from '../inventory/payload.ts'
import type { Product } from './product.ts'

const names = Object.keys(productSummary.fields) as (keyof typeof productSummary.fields & keyof Product)[]

/** The product as events carry it. */
export function productPayload(product: Product): object {
  return { product: pick(product, names) }
}
