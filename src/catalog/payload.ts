import type { Json } from '../kit/declare/resource.ts'
import type { Product } from './product.ts'

/** The product as events carry it. */
export function productPayload(json: Json<Product>): object {
  const { id, name, slug, price, product_status, archived_at, main_image } = JSON.parse(json) as Product
  return { product: { id, name, slug, price, product_status, archived_at, main_image } }
}
