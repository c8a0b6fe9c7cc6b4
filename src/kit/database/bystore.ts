/** Rows found across all stores, grouped by store. Code that locks rows of several stores follows this order. */
export function byStore<Row extends { store_id: string }>(rows: readonly Row[]): [storeId: string, Row[]][] {
  const stores = [...Map.groupBy(rows, ({ store_id }) => store_id)]
  return stores.length > 1 ? stores.toSorted(([one], [other]) => (one < other ? -1 : 1)) : stores
}
