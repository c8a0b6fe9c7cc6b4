/** The plan feature that a body requires: tracked stock or wholesale prices. */
export function getRequiredProductFeature(body: Record<string, unknown>): string | null {
  const variants = Array.isArray(body.variants) ? body.variants : []
  if (body.track_inventory === true || variants.some((one) => one?.manage_inventory === true)) return 'inventory'
  const wholesale = [body.wholesale_price, body.wholesale_min_quantity].some(
    (value) => value !== undefined && value !== null,
  )
  return wholesale ? 'wholesale' : null
}
