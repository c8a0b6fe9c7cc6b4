import type { Json } from '../kit/declare/resource.ts'
import { pick } from '../kit/declare/row.ts'
import { productSummary } from '../inventory/payload.ts'
import type { Product } from './product.ts'

/** The product as events carry it. */
export function productPayload(json: Json<Product>): object {
  return { product: pick(JSON.parse(json), productSummary.names) }
}
