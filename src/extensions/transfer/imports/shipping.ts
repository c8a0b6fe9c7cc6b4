// Whether a product of a file and its variants are shipped. A variant without a value is as its product.
import { isExported, put, type Draft, type MappedRow } from './record.ts'

type Shipped = { requires_shipping?: unknown }

/**
 * Some files have a product's values in the row of its first variant alone. In an export of Stoa, each row has its own.
 */
export function settleShipping(draft: Draft, variantRows: readonly MappedRow[], rows: readonly MappedRow[]): void {
  if (isExported(rows)) return
  const { input } = draft
  const [first, ...others] = input.variants as [Shipped, ...Shipped[]]
  const { number, values } = variantRows[0]!
  const cell = values.get('requires_shipping')
  const isAlone = others.length > 0 && others.every((one) => one.requires_shipping === undefined)
  if (cell && values.has('name') && isAlone && input.requires_shipping === undefined) {
    put(draft, 'requires_shipping', cell, number)
    delete first.requires_shipping
  }
  followProduct(input.variants, input.requires_shipping)
}

/** What all variants of a file say is the product's. If they differ, it is shipped, and the others say so. */
export function shareShipping(input: Record<string, any>): void {
  const values = ((input.variants ?? []) as Shipped[]).map((one) => one.requires_shipping)
  if (input.requires_shipping !== undefined || !values.some((value) => typeof value === 'boolean')) return
  input.requires_shipping = values.some((value) => value !== false)
  followProduct(input.variants, input.requires_shipping)
}

type ShippedProduct = {
  requires_shipping: boolean
  variants: readonly { id: string; requires_shipping: boolean | null }[]
}

/**
 * Variants that are shipped as before keep their values. The product changes if the file has all variants, and
 * otherwise those of the file alone.
 */
export function mergeShipping(
  product: ShippedProduct,
  input: Record<string, any>,
  variants: readonly (Shipped & { id?: string })[],
): void {
  if (input.requires_shipping !== undefined) return
  const existing = new Map(product.variants.map((one) => [one.id, one]))
  const isSame = ({ id, requires_shipping: value }: Shipped & { id?: string }) => {
    const before = existing.get(id ?? '')
    return before !== undefined && (before.requires_shipping ?? product.requires_shipping) === value
  }
  const isWhole =
    variants.every(({ requires_shipping: value }) => typeof value === 'boolean') &&
    variants.filter(({ id }) => existing.has(id ?? '')).length === existing.size
  if (isWhole && !variants.every(isSame)) {
    shareShipping(Object.assign(input, { variants }))
    return
  }
  for (const one of variants) if (isSame(one)) one.requires_shipping = existing.get(one.id!)!.requires_shipping
  followProduct(
    variants.filter((one) => !isSame(one)),
    product.requires_shipping,
  )
}

/** A variant with the product's value needs no other. */
function followProduct(variants: readonly Shipped[], value: unknown): void {
  if (value === undefined) return
  for (const one of variants) if (one.requires_shipping === value) one.requires_shipping = null
}
